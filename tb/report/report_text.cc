// How a report's JSON is laid out: as nlohmann's dump(2), but short rows on one line each.
#include <algorithm>

#include "tb/report/report.h"

namespace ringside {
namespace {

void append(std::string& text, const Json& value, std::size_t indent);

// One line for an array of scalars, and for one that is a row of a table.
void append_row(std::string& text, const Json& array) {
  text += '[';
  for (std::size_t i = 0; i < array.size(); ++i) text += (i == 0 ? "" : ", ") + array[i].dump();
  text += ']';
}

void append_array(std::string& text, const Json& array, std::size_t indent) {
  const auto is_scalar = [](const Json& value) { return value.is_primitive(); };
  if (std::all_of(array.begin(), array.end(), is_scalar)) return append_row(text, array);
  for (std::size_t i = 0; i < array.size(); ++i) {
    text += (i == 0 ? "[\n" : ",\n") + std::string(indent + 2, ' ');
    array[i].is_array() ? append_row(text, array[i]) : append(text, array[i], indent + 2);
  }
  text += '\n' + std::string(indent, ' ') + ']';
}

void append_object(std::string& text, const Json& object, std::size_t indent) {
  if (object.empty()) {
    text += "{}";
    return;
  }
  bool first = true;
  for (const auto& [key, value] : object.items()) {
    text += (first ? "{\n" : ",\n") + std::string(indent + 2, ' ') + Json(key).dump() + ": ";
    append(text, value, indent + 2);
    first = false;
  }
  text += '\n' + std::string(indent, ' ') + '}';
}

void append(std::string& text, const Json& value, std::size_t indent) {
  if (value.is_object())
    append_object(text, value, indent);
  else if (value.is_array())
    append_array(text, value, indent);
  else
    text += value.dump();
}

}  // namespace

std::string report_text(const Json& report) {
  std::string text;
  append(text, report, 0);
  return text + '\n';
}

}  // namespace ringside
