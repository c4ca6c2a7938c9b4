#include "model/memory/tlb.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "model/base/errors.h"

namespace ringside {
namespace {

constexpr std::uint32_t kNoPage = ~std::uint32_t{0};

bool large_pages(const MemoryConfig& config) { return config.page_size == "2MiB"; }

TlbArray first_level(const MemoryConfig& config) {
  return large_pages(config) ? TlbArray("memory.dtlb_2m", config.dtlb_2m_entries, config.dtlb_2m_ways)
                             : TlbArray("memory.dtlb_4k", config.dtlb_4k_entries, config.dtlb_4k_ways);
}

}  // namespace

TlbArray::TlbArray(std::string_view name, std::uint64_t entries, std::uint64_t ways) {
  if (ways == 0 || entries % ways != 0 || !std::has_single_bit(entries / ways)) {
    throw InputError(fmt::format("{0}_entries, {0}_ways: {1} entries in {2} ways is not a power-of-two number of sets; ways times a power of two is allowed",
                                 name, entries, ways));
  }
  ways_ = static_cast<std::uint32_t>(ways);
  set_mask_ = static_cast<std::uint32_t>(entries / ways) - 1;
  entries_.assign(entries, {kNoPage, 0});
}

bool TlbArray::touch_slowly(std::uint32_t page) {
  const auto set = entries_.begin() + (page & set_mask_) * std::ptrdiff_t{ways_};
  auto entry = std::find_if(set, set + ways_, [page](const Entry& e) { return e.page == page; });
  const bool hit = entry != set + ways_;
  if (!hit) entry = std::min_element(set, set + ways_, [](const Entry& a, const Entry& b) { return a.used < b.used; });
  *entry = {page, ++clock_};
  known_[page % kKnown] = static_cast<std::uint32_t>(entry - entries_.begin());
  return hit;
}

Translation::Translation(const MemoryConfig& config)
    : page_shift_(large_pages(config) ? 21 : 12),
      stlb_latency_(config.stlb_latency),
      page_walk_(config.page_walk),
      first_(first_level(config)),
      second_("memory.stlb", config.stlb_entries, config.stlb_ways) {}

Translation::Cost Translation::data(std::uint64_t address) {
  const std::uint64_t page = address >> page_shift_;
  if (first_.touch(static_cast<std::uint32_t>(page))) return {0, false};
  Cost cost = second_level(static_cast<std::uint32_t>(page));
  cost.cycles += stlb_latency_;
  return cost;
}

Translation::Cost Translation::instruction(std::uint64_t address) {
  const std::uint64_t page = address >> page_shift_;
  if (page == last_code_page_) return {0, false};
  last_code_page_ = page;
  return second_level(static_cast<std::uint32_t>(page));
}

Translation::Cost Translation::second_level(std::uint32_t page) {
  return second_.touch(page) ? Cost{0, false} : Cost{page_walk_, true};
}

}  // namespace ringside
