// The guest image builder on a recipe of two small sources, with the real gcc and lld.
#include "tb/image/image_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "model/base/errors.h"
#include "tb/image/source_tree.h"
#include "tb/tests/temporary_folder.h"

namespace ringside {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::ThrowsMessage;

constexpr std::string_view kRecipe = R"(sources = ["driver/start.cc", "driver/work/*.cc"]
linker_script = "driver/image.ld"
flags = ["-O1", "-ffreestanding"]
link = ["-nostdlib", "-static", "-Wl,--build-id=none"]
[[toolchain]]
architecture = "x86-64"
compiler = "gcc"
command = "g++"
flags = ["-m64"]
[[prebuild]]
name = "plain"
architecture = "x86-64"
compiler = "gcc"
flags = ["-DPLAIN"]
)";

class ImageBuilding : public testing::Test {
 protected:
  ImageBuilding() {
    tree_.write("driver/image.toml", kRecipe);
    tree_.write("driver/image.ld", "ENTRY(_start)\nSECTIONS { . = 0x200000; .text : { *(.text*) } }\n");
    tree_.write("driver/start.cc", "#include \"driver/work/work.h\"\nextern \"C\" void _start() { work(); }\n");
    tree_.write("driver/work/work.cc", "#include <stdint.h>\n # include \"work.h\"\nvoid work() {}\n");
    tree_.write("driver/work/work.h", "#include \"model/contract.h\"\nvoid work();\n");
    tree_.write("model/contract.h", "#define CONTRACT 1\n");
  }

  ImageBuilder builder() const { return {tree_.path() / "driver/image.toml", tree_.path() / "cache"}; }
  static ImageRequest request(std::vector<std::string> flags = {}) { return {"x86-64", "gcc", std::move(flags)}; }

  std::size_t cached() const {
    const auto folder = tree_.path() / "cache";
    if (!std::filesystem::exists(folder)) return 0;
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }

  TemporaryFolder tree_;
};

TEST_F(ImageBuilding, MakesAnElfImage) {
  const auto image = builder().build(request());
  EXPECT_EQ(tree_.read(image.lexically_relative(tree_.path()).string()).substr(0, 4), "\x7f" "ELF");
  EXPECT_EQ(cached(), 1U) << "nothing but the image stays";
}

TEST_F(ImageBuilding, CompilesOnlyOnce) {
  const auto first = builder().build(request());
  const auto written = std::filesystem::last_write_time(first);
  EXPECT_EQ(builder().build(request()), first);
  EXPECT_EQ(std::filesystem::last_write_time(first), written);
}

TEST_F(ImageBuilding, AnythingThatMattersChangesTheKey) {
  const auto plain = builder().file_name(request());
  EXPECT_EQ(builder().file_name(request()), plain);
  EXPECT_NE(builder().file_name(request({"-O3"})), plain);
  EXPECT_NE(builder().file_name(request({"-DA", "-DB"})), builder().file_name(request({"-DA-DB"})));
  tree_.write("model/contract.h", "#define CONTRACT 2\n");
  const auto other_header = builder().file_name(request());
  EXPECT_NE(other_header, plain);
  tree_.write("driver/image.ld", "ENTRY(_start)\nSECTIONS { . = 0x300000; .text : { *(.text*) } }\n");
  EXPECT_NE(builder().file_name(request()), other_header);
}

TEST_F(ImageBuilding, BothSpellingsOfTheArchitectureAreOne) {
  EXPECT_EQ(builder().file_name({"x86_64", "gcc", {}}), builder().file_name({"x86-64", "gcc", {}}));
}

TEST_F(ImageBuilding, AnUnrelatedFileDoesNotChangeTheKey) {
  const auto plain = builder().file_name(request());
  tree_.write("driver/notes.txt", "x");
  tree_.write("model/unused.h", "x");
  EXPECT_EQ(builder().file_name(request()), plain);
}

TEST_F(ImageBuilding, TheSameInputsGiveTheSameBytesElsewhere) {
  const auto here = builder().build(request({"-g"}));
  const TemporaryFolder other;
  std::filesystem::copy(tree_.path(), other.path(), std::filesystem::copy_options::recursive);
  std::filesystem::remove_all(other.path() / "cache");
  const auto there = ImageBuilder(other.path() / "driver/image.toml", other.path() / "cache").build(request({"-g"}));
  EXPECT_EQ(here.filename(), there.filename());
  EXPECT_EQ(tree_.read("cache/" + here.filename().string()), other.read("cache/" + there.filename().string()));
}

TEST_F(ImageBuilding, APrebuiltImageIsUsedAsItIs) {
  const auto name = builder().file_name(request());
  tree_.write("prebuilt/" + name, "made before");
  const ImageBuilder with_prebuilt(tree_.path() / "driver/image.toml", tree_.path() / "cache", {tree_.path() / "prebuilt"});
  EXPECT_EQ(with_prebuilt.build(request()), tree_.path() / "prebuilt" / name);
  EXPECT_EQ(cached(), 0U);
}

TEST_F(ImageBuilding, MayRunAtTheSameTime) {
  std::filesystem::path first;
  std::filesystem::path second;
  {
    const std::jthread one([&] { first = builder().build(request()); });
    const std::jthread two([&] { second = builder().build(request()); });
  }
  EXPECT_EQ(first, second);
  EXPECT_EQ(cached(), 1U);
}

TEST_F(ImageBuilding, ReportsTheFirstError) {
  EXPECT_THAT([&] { builder().build(request({"-fno-such-flag"})); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("driver.flags \"-fno-such-flag\""), HasSubstr("-fno-such-flag"),
                                              HasSubstr("error:"), Not(HasSubstr("\n")))));
  tree_.write("driver/work/work.cc", "#include \"driver/work/work.h\"\n\nvoid work() { return 5; }\n");
  EXPECT_THAT([&] { builder().build(request()); }, ThrowsMessage<InputError>(HasSubstr("driver/work/work.cc:3:")));
  tree_.write("driver/work/work.cc", "void other() {}\n");
  EXPECT_THAT([&] { builder().build(request()); }, ThrowsMessage<InputError>(HasSubstr("undefined reference to `work()")));
  EXPECT_EQ(cached(), 0U);
}

TEST_F(ImageBuilding, NamesThePairsThatItKnows) {
  EXPECT_THAT([&] { builder().build({"riscv64", "gcc", {}}); },
              ThrowsMessage<InputError>(HasSubstr("cannot compile with gcc for riscv64; gcc for x86_64 are allowed")));
}

TEST_F(ImageBuilding, SaysHowToGetAMissingCompiler) {
  std::string recipe(kRecipe);
  recipe.replace(recipe.find("\"g++\""), 5, "\"no-such-g++\"\npackages = \"g++-of-debian\"");
  tree_.write("driver/image.toml", recipe);
  EXPECT_THAT([&] { builder().build(request()); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("no-such-g++: not installed; it builds the guest with driver.compiler \"gcc\" for x86_64"),
                                              HasSubstr("apt install g++-of-debian"))));
}

TEST_F(ImageBuilding, BrokenRecipes) {
  tree_.write("driver/image.toml", "sources = []\nlinker_script = \"x\"\n[[toolchain]]\narchitecture = \"x86-64\"\n");
  EXPECT_THAT([&] { builder(); }, ThrowsMessage<InputError>(HasSubstr("image.toml:3: no compiler")));
  tree_.write("driver/image.toml", "sources = [1]\n");
  EXPECT_THAT([&] { builder(); }, ThrowsMessage<InputError>(HasSubstr("image.toml:1: sources has an element that is no string")));
  tree_.write("driver/image.toml", "sources = [");
  EXPECT_THAT([&] { builder(); }, ThrowsMessage<InputError>(HasSubstr("TOML 1.0 is allowed")));
  std::filesystem::remove(tree_.path() / "driver/image.toml");
  EXPECT_THAT([&] { builder(); }, ThrowsMessage<InputError>(HasSubstr("no such file")));
}

TEST_F(ImageBuilding, ListsPrebuilds) {
  const auto recipe = builder().recipe();
  ASSERT_EQ(recipe.prebuilds().size(), 1U);
  EXPECT_EQ(recipe.prebuilds().front().name, "plain");
  EXPECT_EQ(recipe.prebuilds().front().request.flags, std::vector<std::string>{"-DPLAIN"});
}

TEST_F(ImageBuilding, FollowsQuotedIncludes) {
  EXPECT_THAT(read_sources(tree_.path(), {"driver/work/work.cc"}),
              ElementsAre(Key("driver/work/work.cc"), Key("driver/work/work.h"), Key("model/contract.h")));
  EXPECT_THROW(read_sources(tree_.path(), {"driver/none.cc"}), InputError);
}

TEST(ImageCache, FollowsTheXdgConvention) {
  ::setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(image_cache_directory(), "/somewhere/ringside");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(image_cache_directory(), "/home/someone/.cache/ringside");
}

TEST_F(ImageBuilding, DriversAddTheirSources) {
  tree_.write("driver/one/one.cc", "int one() { return 1; }\n");
  tree_.write("driver/two/two.cc", "int two() { return 2; }\n");
  const std::string drivers = "[[driver]]\nname = \"one\"\nsources = [\"driver/one/*.cc\"]\n"
                              "[[driver]]\nname = \"two\"\nsources = [\"driver/two/*.cc\"]\n";
  const std::string recipe(kRecipe);
  tree_.write("driver/image.toml", recipe.substr(0, recipe.find("[[prebuild]]")) + drivers);
  ImageRequest one = request();
  one.driver = "one";
  ImageRequest two = request();
  two.driver = "two";
  EXPECT_THAT(builder().recipe().sources("one"), ElementsAre("driver/start.cc", "driver/work/work.cc", "driver/one/one.cc"));
  EXPECT_NE(builder().build(one), builder().build(two));
  EXPECT_THAT([&] { builder().build(request()); }, ThrowsMessage<InputError>(HasSubstr("no driver \"\"; one, two are allowed")));
}

}  // namespace
}  // namespace ringside
