// A value of a report that somebody else may have written, together with the way to it: every look at it is checked.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace ringside {

class ReportNode {
 public:
  using Json = nlohmann::ordered_json;

  // `file` must outlive the node.
  ReportNode(const Json& value, const std::string& file, std::string path)
      : value_(value), file_(file), path_(std::move(path)) {}

  // Throws InputError: FILE: PATH is FOUND; ALLOWED is allowed.
  [[noreturn]] void fail(const std::string& found, const std::string& allowed) const;

  // Members of an object. at() throws InputError when there is none of this name.
  bool has(const char* key) const { return object().contains(key); }
  ReportNode at(const std::string& key) const;

  // Each throws InputError when the value is of another kind.
  double number() const;            // 0 to 1e18
  std::uint64_t count() const;      // a whole number
  std::uint64_t count(const char* key) const { return at(key).count(); }
  std::uint64_t count_or_zero(const char* key) const { return has(key) ? count(key) : 0; }
  std::uint64_t index(std::size_t size, const char* of) const;  // below `size`, a number of `of`
  std::string text() const;         // made safe to show
  std::string text_or_empty(const char* key) const { return has(key) ? at(key).text() : ""; }

  // Calls visit(name, node) for each member, in the order of the document.
  template <class Visit>
  void members(Visit visit) const {
    for (const auto& [key, value] : object().items()) visit(shown(key), ReportNode(value, file_, join(key)));
  }

  // The elements of an array. element() throws InputError when the array ends before.
  std::size_t size() const { return array().size(); }
  ReportNode element(std::size_t i) const;
  template <class Visit>
  void elements(Visit visit) const {
    for (std::size_t i = 0; i < array().size(); ++i) visit(element(i));
  }

  std::map<std::string, double> figures() const;        // an object of numbers
  std::map<std::string, std::uint64_t> counts() const;  // an object of whole numbers

  const Json& value() const { return value_; }
  std::string description() const;  // "the string \"abc\"", for messages

 private:
  const Json& object() const;
  const Json& array() const;
  static std::string shown(const std::string& key);
  std::string join(const std::string& key) const;

  const Json& value_;
  const std::string& file_;
  std::string path_;
};

}  // namespace ringside
