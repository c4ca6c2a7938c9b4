// Lists of up to a few dozen integers in order of use, the most recent first: the sets of caches.
#pragma once

#include <cstdint>
#include <cstring>

namespace ringside::recency {

inline constexpr std::uint32_t kVector = 4;

// Room that a list of `ways` entries takes: whole vectors. The entries behind `ways` must match no key.
constexpr std::uint32_t stride(std::uint32_t ways) { return (ways + kVector - 1) / kVector * kVector; }

// Place of the entry whose bits above `shift` are `key`, or `stride`. Compares a vector at a time and without branches:
// at most one entry is equal, and leaves its place plus one.
inline std::uint32_t place_of(const std::uint32_t* list, std::uint32_t stride, std::uint32_t key, int shift) {
  using Vector = std::uint32_t __attribute__((vector_size(kVector * sizeof(std::uint32_t))));
  Vector found{};
  Vector place = {1, 2, 3, 4};
  for (std::uint32_t i = 0; i < stride; i += kVector) {
    Vector entries;
    std::memcpy(&entries, list + i, sizeof(entries));
    found |= reinterpret_cast<Vector>(entries >> shift == key) & place;
    place += kVector;
  }
  const std::uint32_t place_plus_one = found[0] | found[1] | found[2] | found[3];
  return place_plus_one == 0 ? stride : place_plus_one - 1;
}

// Makes the entry at `place` the first. Lists are too short for a call of memmove.
inline void move_to_front(std::uint32_t* list, std::uint32_t place) {
  const std::uint32_t entry = list[place];
  std::uint32_t left = place;
  for (; left >= kVector; left -= kVector) {
    std::memmove(list + left - kVector + 1, list + left - kVector, kVector * sizeof(entry));
  }
  for (; left > 0; --left) list[left] = list[left - 1];
  list[0] = entry;
}

// Takes the entry at `place` out and puts `entry` last of `ways`.
inline void replace_as_last(std::uint32_t* list, std::uint32_t place, std::uint32_t ways, std::uint32_t entry) {
  std::memmove(list + place, list + place + 1, (ways - 1 - place) * sizeof(entry));
  list[ways - 1] = entry;
}

}  // namespace ringside::recency
