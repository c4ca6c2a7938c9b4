#include "model/core/instruction_ways.h"

#include <algorithm>

namespace ringside {

namespace {

void choose_path(Instruction& in) {
  const unsigned data = in.sources - in.address_sources;
  const unsigned late = in.results - in.early_results;
  const bool fits = in.address_sources <= in.short_address.size() && data <= in.short_data.size() &&
                    late <= in.short_result.size() && in.early_results <= 1;
  const bool plain = !in.prefetch && !in.maintains && in.barrier == Barrier::none && in.repeat == Repeat::none && in.occupancy == 0;
  if (!fits || !plain || in.loads + in.stores > 2) return;
  if (in.loads + in.stores == 2)
    in.shape = in.loads == 2 ? Shape::load_pair : in.stores == 2 ? Shape::store_pair : Shape::update;
  else
    in.path = in.loads == 1 ? Path::load : in.stores == 1 ? Path::store : Path::simple;
  if (in.path == Path::simple && (in.address_sources > 0 || in.early_results > 0)) {
    in.path = Path::complex;
    return;
  }
  std::copy_n(in.source.begin(), in.address_sources, in.short_address.begin());
  std::copy_n(in.source.begin() + in.address_sources, data, in.short_data.begin());
  std::copy_n(in.result.begin() + in.early_results, late, in.short_result.begin());
  if (in.early_results == 1) in.short_early = in.result[0];
}

Shape shape_of_simple(const Instruction& in) {
  const unsigned results = in.results;
  if (in.micro_ops == 0 && results == 0 && !in.uses_alu) return Shape::fused;
  if (in.micro_ops != 1 || results > 2 || in.sources > 2) return Shape::simple;
  const bool two = in.sources == 2;
  if (in.uses_alu) {
    if (two) return results == 2 ? Shape::alu_2_2 : Shape::alu_2_1;
    return results == 2 ? Shape::alu_1_2 : Shape::alu_1_1;
  }
  if (results == 2) return Shape::simple;
  return two ? Shape::move_2_1 : Shape::move_1_1;
}

Shape shape_of_load(const Instruction& in) {
  const bool plain = in.micro_ops == 1 && !in.uses_alu && in.sources == in.address_sources && in.results - in.early_results <= 1;
  if (!plain) return Shape::load;
  if (in.early_results == 1) return in.address_sources <= 1 ? Shape::pop : Shape::load;
  return in.address_sources <= 1 ? Shape::load_1 : Shape::load_2;
}

}  // namespace

void choose_ways(Instruction& in) {
  choose_path(in);
  switch (in.path) {
    case Path::simple: in.shape = shape_of_simple(in); break;
    case Path::load: in.shape = shape_of_load(in); break;
    case Path::store: in.shape = Shape::store; break;
    case Path::complex: break;
  }
}

}  // namespace ringside
