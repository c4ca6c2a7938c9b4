#include "tb/report/report_node.h"

#include <fmt/format.h>

#include <cmath>

#include "model/base/errors.h"
#include "tb/report/printable.h"

namespace ringside {
namespace {

constexpr double kLargest = 1e18;

}  // namespace

std::string ReportNode::description() const {
  using Kind = Json::value_t;
  switch (value_.type()) {
    case Kind::null: return "null";
    case Kind::object: return "an object";
    case Kind::array: return "an array";
    case Kind::string: return fmt::format("the string \"{}\"", printable(value_.get_ref<const std::string&>(), 40));
    default: return value_.dump();
  }
}

void ReportNode::fail(const std::string& found, const std::string& allowed) const {
  throw InputError(fmt::format("{}: {} is {}; {} is allowed", file_, path_.empty() ? "the document" : path_, found, allowed));
}

ReportNode ReportNode::at(const std::string& key) const {
  const auto found = object().find(key);
  if (found == object().end()) {
    throw InputError(fmt::format("{}: {} is missing; a complete report is required", file_, join(key)));
  }
  return {*found, file_, join(key)};
}

ReportNode ReportNode::element(std::size_t i) const {
  std::string path = fmt::format("{}[{}]", path_, i);
  if (i >= array().size()) throw InputError(fmt::format("{}: {} is missing; a complete report is required", file_, path));
  return {array()[i], file_, std::move(path)};
}

double ReportNode::number() const {
  if (!value_.is_number()) fail(description(), "a number");
  const double number = value_.get<double>();
  if (!std::isfinite(number) || number < 0 || number > kLargest) fail(description(), "a number from 0 to 1e18");
  return number;
}

std::uint64_t ReportNode::count() const {
  if (!value_.is_number_unsigned()) fail(description(), "a whole number from 0 to 2^64-1");
  return value_.get<std::uint64_t>();
}

std::uint64_t ReportNode::index(std::size_t size, const char* of) const {
  const std::uint64_t index = count();
  if (index >= size) fail(description(), fmt::format("the number of one of {} {}, from 0,", size, of));
  return index;
}

std::string ReportNode::text() const {
  if (!value_.is_string()) fail(description(), "a string");
  return printable(value_.get_ref<const std::string&>());
}

std::map<std::string, double> ReportNode::figures() const {
  std::map<std::string, double> result;
  members([&](const std::string& name, const ReportNode& node) { result[name] = node.number(); });
  return result;
}

std::map<std::string, std::uint64_t> ReportNode::counts() const {
  std::map<std::string, std::uint64_t> result;
  members([&](const std::string& name, const ReportNode& node) { result[name] = node.count(); });
  return result;
}

const ReportNode::Json& ReportNode::object() const {
  if (!value_.is_object()) fail(description(), "an object");
  return value_;
}

const ReportNode::Json& ReportNode::array() const {
  if (!value_.is_array()) fail(description(), "an array");
  return value_;
}

std::string ReportNode::shown(const std::string& key) { return printable(key); }

std::string ReportNode::join(const std::string& key) const {
  return path_.empty() ? printable(key, 80) : path_ + "." + printable(key, 80);
}

}  // namespace ringside
