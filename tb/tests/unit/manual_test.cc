// What the command line offers, and the pages made from it: of a parser that the test sets up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "tb/manual/command_help.h"
#include "tb/manual/completion.h"
#include "tb/manual/manual.h"
#include "tb/manual/schema_page.h"
#include "tb/tests/temporary_folder.h"

namespace ringside {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kFooter =
    "Two lines of\n"
    "one paragraph:\n"
    "  key = 1\n"
    "    key.below = 2\n"
    "\n"
    "Examples:\n"
    "  tool go a.b\n"
    "      goes there,\n"
    "      and back\n"
    "  tool stop\n"
    "\n"
    "Exit status: 0 done; 2 bad input; one line says what; 130 interrupted.";

class Manual : public testing::Test {
 protected:
  Manual() {
    app_.footer(kFooter);
    auto* go = app_.add_subcommand("go", "Goes somewhere");
    go->add_option("place", places_, "Where to")->required()->type_name("PLACE");
    go->add_option("--how,-w", how_, "Means")->check(CLI::IsMember({"foot", "bike"}))->type_name("HOW");
    go->add_option("--set", sets_, "Sets")->expected(1)->take_all()->type_name("KEY=VALUE");
    go->add_option("--jobs", how_, "At a time")->type_name("N");
    go->add_option("--folder", how_, "There")->type_name("FOLDER");
    go->add_flag("--quiet", quiet_, "Says nothing");
    auto* run = app_.add_subcommand("run", "Runs");
    run->add_option("scenario", how_, "What")->required()->type_name("SCENARIO");
    app_.add_subcommand("secret", "Is hidden")->group("");
    folder_.write("scenarios/short.toml", "");
    folder_.write("scenarios/long.toml", "");
    std::filesystem::create_directory_symlink(std::filesystem::path(RINGSIDE_SOURCE_DIR) / "traces/hardware",
                                              folder_.path() / "hardware");
    std::filesystem::create_directory_symlink(std::filesystem::path(RINGSIDE_SOURCE_DIR) / "traces/drivers",
                                              folder_.path() / "drivers");
  }

  std::vector<std::string> candidates(const std::vector<std::string>& words) const {
    std::vector<std::string> texts;
    for (const auto& candidate : complete(command_help(app_), words, folder_.path()).candidates) texts.push_back(candidate.text);
    return texts;
  }
  Paths paths(const std::vector<std::string>& words) const { return complete(command_help(app_), words, folder_.path()).paths; }

  TemporaryFolder folder_;
  CLI::App app_{"A tool\nthat goes", "tool"};
  std::vector<std::string> places_, sets_;
  std::string how_;
  bool quiet_ = false;
};

TEST_F(Manual, TakesCommandsAndArgumentsFromTheParser) {
  const CommandHelp help = command_help(app_);
  EXPECT_EQ(help.about, "A tool that goes");
  ASSERT_EQ(help.commands.size(), 2U) << "and not the hidden one";
  const CommandHelp& go = help.commands[0];
  EXPECT_EQ(go.synopsis(), "[OPTIONS] PLACE...");
  EXPECT_THAT(go.notes, IsEmpty()) << "a footer belongs to the command that has it";
  ASSERT_EQ(go.arguments.size(), 7U) << "with --help";
  EXPECT_TRUE(go.arguments[1].positional());
  EXPECT_THAT(go.arguments[2].names, ElementsAre("-w", "--how"));
  EXPECT_EQ(go.arguments[2].value, "HOW");
  EXPECT_THAT(go.arguments[2].choices, ElementsAre("foot", "bike"));
  EXPECT_EQ(go.arguments[2].meaning(), "Means. One of `foot`, `bike`.");
  EXPECT_TRUE(go.arguments[3].repeatable);
  EXPECT_FALSE(go.arguments[4].repeatable);
  EXPECT_EQ(go.arguments[6].value, "") << "a flag has none";
}

TEST_F(Manual, ReadsTheFooter) {
  const CommandHelp help = command_help(app_);
  ASSERT_EQ(help.notes.size(), 1U);
  EXPECT_EQ(help.notes[0].text, "Two lines of one paragraph:");
  EXPECT_THAT(help.notes[0].code, ElementsAre("key = 1", "  key.below = 2"));
  ASSERT_EQ(help.sections.size(), 1U);
  EXPECT_EQ(help.sections[0].title, "Examples");
  ASSERT_EQ(help.sections[0].items.size(), 2U);
  EXPECT_EQ(help.sections[0].items[0].term, "tool go a.b");
  EXPECT_EQ(help.sections[0].items[0].meaning, "goes there, and back");
  ASSERT_EQ(help.statuses.size(), 3U);
  EXPECT_EQ(help.statuses[1].status, "2");
  EXPECT_EQ(help.statuses[1].meaning, "bad input; one line says what");
  EXPECT_EQ(help.statuses[2].status, "130");
}

TEST_F(Manual, MarkdownHasASectionForEachCommand) {
  const std::string page = manual_markdown(command_help(app_));
  EXPECT_THAT(page, HasSubstr("## tool go\n\nGoes somewhere.\n\n    tool go [OPTIONS] PLACE...\n"));
  EXPECT_THAT(page, HasSubstr("| `-w, --how HOW` | Means. One of `foot`, `bike`. |"));
  EXPECT_THAT(page, HasSubstr("```sh\n# goes there, and back\ntool go a.b\ntool stop\n```"));
  EXPECT_THAT(page, HasSubstr("| 130 | interrupted. |"));
  EXPECT_THAT(page, Not(HasSubstr("secret")));
}

TEST_F(Manual, ManPageKeepsHyphensAndShortLines) {
  const std::string page = manual_troff(command_help(app_), "1.2");
  EXPECT_THAT(page, HasSubstr(".TH TOOL 1 \"\" \"tool 1.2\" \"User Commands\"\n"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-w, \\-\\-how\\fP \\fIHOW\\fP\n"));
  EXPECT_THAT(page, HasSubstr("One of \\fBfoot\\fP, \\fBbike\\fP.\n"));
  EXPECT_THAT(page, Not(HasSubstr("secret")));
}

TEST_F(Manual, CompletesCommandsAndOptions) {
  EXPECT_THAT(candidates({""}), ElementsAre("go", "run"));
  EXPECT_THAT(candidates({"r"}), ElementsAre("run"));
  EXPECT_THAT(candidates({"go", "--"}), ElementsAre("--help", "--how", "--set", "--jobs", "--folder", "--quiet"));
  EXPECT_THAT(candidates({"go", "--quiet", "--set", "a=1", "--set", "b=2", "--q"}), IsEmpty()) << "once is enough";
  EXPECT_THAT(candidates({"go", "--set", "a=1", "--s"}), ElementsAre("--set")) << "may be repeated";
  EXPECT_THAT(candidates({"nonsense", ""}), IsEmpty());
  EXPECT_THAT(candidates({}), IsEmpty());
}

TEST_F(Manual, CompletesValues) {
  EXPECT_THAT(candidates({"go", "--how", ""}), ElementsAre("foot", "bike"));
  EXPECT_THAT(candidates({"go", "--how", "b"}), ElementsAre("bike"));
  EXPECT_EQ(paths({"go", "--how", "b"}), Paths::none);
  EXPECT_EQ(paths({"go", "--jobs", ""}), Paths::none);
  EXPECT_EQ(paths({"go", "--folder", ""}), Paths::folders);
  EXPECT_EQ(paths({"go", "there", ""}), Paths::files) << "an argument that may be repeated";
  EXPECT_THAT(candidates({"run", ""}), ElementsAre("long", "short"));
  EXPECT_EQ(paths({"run", ""}), Paths::files);
  EXPECT_EQ(paths({"run", "short", ""}), Paths::none) << "there is only one scenario";
}

TEST_F(Manual, CompletesSettings) {
  EXPECT_THAT(candidates({"go", "--set", "dr"}), ElementsAre("driver."));
  EXPECT_THAT(candidates({"go", "--set", "c"}), ElementsAre("cpu.")) << "once, though its keys are in two places";
  EXPECT_THAT(candidates({"go", "--set", "driver.comp"}), ElementsAre("driver.compiler="));
  EXPECT_THAT(candidates({"go", "--set", "driver.compiler="}), ElementsAre("driver.compiler=clang", "driver.compiler=gcc"));
  EXPECT_THAT(candidates({"go", "--set", "driver.gro=t"}), ElementsAre("driver.gro=true"));
  EXPECT_THAT(candidates({"go", "--set", "dwmac.model=dwx"}), ElementsAre("dwmac.model=dwxgmac-3.20a"));
  EXPECT_THAT(candidates({"go", "--set", "no.such="}), IsEmpty());
}

TEST(CompletionText, HasHelpAfterATab) {
  EXPECT_EQ(completion_text({{{"a", "first"}, {"b", ""}}, Paths::folders}), "a\tfirst\nb\n:folders\n");
}

TEST(SchemaPage, HasARowForEveryKey) {
  const auto schema = nlohmann::ordered_json::parse(R"({
    "required": ["a"],
    "properties": {
      "a": {"type": "object", "description": "An object", "properties": {"b": {"$ref": "#/$defs/n", "description": "Inside"}}},
      "c": {"type": "array", "description": "Many", "items": {"type": "object", "properties": {"d": {"enum": ["x", "y"]}}}},
      "e": {"type": "object", "propertyNames": {"title": "KEY"},
            "additionalProperties": {"type": "object", "properties": {"f": {"type": ["string", "null"], "description": "Maybe"}}}}
    },
    "$defs": {"n": {"type": "integer", "description": "A number"}}
  })");
  const std::string page = schema_markdown(schema);
  EXPECT_THAT(page, HasSubstr("| `a` | object | An object |\n| `c` | array, optional | Many |"));
  EXPECT_THAT(page, HasSubstr("### a\n\n| Key | Type | Meaning |\n|---|---|---|\n| `a.b` | integer, optional | Inside |"));
  EXPECT_THAT(page, HasSubstr("| `c[].d` | string, optional | `x`, `y` |"));
  EXPECT_THAT(page, HasSubstr("| `e.KEY.f` | string or null, optional | Maybe |"));
}

}  // namespace
}  // namespace ringside
