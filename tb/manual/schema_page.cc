#include "tb/manual/schema_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "model/base/errors.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kReference = "$ref";

class Page {
 public:
  explicit Page(const Json& schema) : schema_(schema) {}

  std::string text() {
    const Json& top = schema_.contains("items") ? schema_["items"] : schema_;
    begin_table();
    for (const auto& [key, value] : top.at("properties").items()) row(key, value, is_required(top, key));
    for (const auto& [key, value] : top.at("properties").items()) {
      const std::size_t before = page_.size();
      page_ += fmt::format("\n### {}\n\n", key);
      begin_table();
      const std::size_t empty = page_.size();
      below(key, value);
      if (page_.size() == empty) page_.resize(before);
    }
    return page_;
  }

 private:
  void begin_table() { page_ += "| Key | Type | Meaning |\n|---|---|---|\n"; }

  // What a schema refers to, if it does.
  const Json& resolved(const Json& node) const {
    if (!node.contains(kReference)) return node;
    return schema_.at(Json::json_pointer(node[kReference].get<std::string>().substr(1)));
  }

  static bool is_required(const Json& object, const std::string& key) {
    if (!object.contains("required")) return false;
    const Json& names = object["required"];
    return std::find(names.begin(), names.end(), key) != names.end();
  }

  std::string type(const Json& node) const {
    const Json& n = resolved(node);
    if (n.contains("const")) return fmt::format("`{}`", n["const"].dump());
    if (n.contains("enum")) return "string";
    if (n.contains("anyOf")) return "any of several";
    const Json& type = n.at("type");
    if (type.is_string()) return type;
    std::string text;
    for (const auto& one : type) text += (text.empty() ? "" : " or ") + one.get<std::string>();
    return text;
  }

  void row(const std::string& path, const Json& node, bool required) {
    const Json& n = resolved(node);
    const std::string meaning = node.value("description", n.value("description", std::string()));
    std::string values;
    if (n.contains("enum")) {
      for (const auto& value : n["enum"]) values += fmt::format("{}`{}`", values.empty() ? "" : ", ", value.get<std::string>());
      values = meaning.empty() ? values : fmt::format(". One of {}", values);
    }
    page_ += fmt::format("| `{}` | {}{} | {}{} |\n", path, type(node), required ? "" : ", optional", meaning, values);
  }

  // Rows for everything that `node`, which is called `path`, holds.
  void below(const std::string& path, const Json& node) {
    const Json& n = resolved(node);
    if (n.contains("properties")) {
      for (const auto& [key, value] : n["properties"].items()) {
        row(path + "." + key, value, is_required(n, key));
        below(path + "." + key, value);
      }
    } else if (n.contains("items")) {
      below(path + "[]", n["items"]);
    } else if (n.contains("additionalProperties") && n["additionalProperties"].is_object()) {
      const std::string name = n.value(Json::json_pointer("/propertyNames/title"), "NAME");
      below(path + "." + name, n["additionalProperties"]);
    }
  }

  const Json& schema_;
  std::string page_;
};

}  // namespace

std::vector<std::string> schema_names(const fs::path& data) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(data / "schemas", error)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Json read_schema(const fs::path& data, const std::string& name) {
  const fs::path file = data / "schemas" / (name + ".json");
  std::ifstream stream(file);
  try {
    return Json::parse(stream);
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("{}: {}; a JSON Schema is allowed", file.string(), error.what()));
  }
}

std::string schema_markdown(const Json& schema) { return Page(schema).text(); }

}  // namespace ringside
