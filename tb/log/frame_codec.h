// Frames as the bytes in which they differ from earlier ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tb/log/format.h"
#include "tb/log/varint.h"

namespace ringside {

// Keeps the latest frame of a few sizes, which start as zeros; writer and reader do the same. A frame is a number of patches,
// each with its distance from the end of the one before, its length and its bytes.
class FrameCodec {
 public:
  // At most, for any frame.
  static constexpr std::size_t kMostBytes = 4 * kSnapLength;

  void clear() {
    for (Model& model : models_) model = {};
  }

  // `kept`: the first bytes of a frame of `length`, at most kSnapLength. The sink has room for kMostBytes.
  void encode(ByteSink& to, std::uint64_t length, std::span<const std::uint8_t> kept) {
    Model& model = model_of(length);
    std::array<Patch, kSnapLength> patches;
    const std::size_t count = differences(model.bytes.data(), kept, patches);
    to.varint(count);
    std::size_t end = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Patch& p = patches[i];
      to.varint(p.begin - end);
      to.varint(p.end - p.begin);
      to.bytes(kept.subspan(p.begin, p.end - p.begin));
      end = p.end;
    }
    std::copy(kept.begin(), kept.end(), model.bytes.begin());
  }

  // `kept` bytes of a frame of `length`; empty, with the source failed, if it makes no sense. Valid until the next call.
  std::span<const std::uint8_t> decode(ByteSource& from, std::uint64_t length, std::size_t kept) {
    Model& model = model_of(length);
    const std::uint64_t count = from.varint();
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < count && from.ok(); ++i) {
      const std::uint64_t gap = from.varint();
      const std::uint64_t size = from.varint();
      const bool fits = gap <= kept - at && size <= kept - at - gap && size != 0;
      const auto bytes = from.bytes(fits ? size : from.left() + 1);
      if (!from.ok()) return {};
      at += gap;
      std::copy(bytes.begin(), bytes.end(), model.bytes.begin() + static_cast<std::ptrdiff_t>(at));
      at += size;
    }
    return {model.bytes.data(), kept};
  }

 private:
  struct Model {
    std::uint64_t length = 0;
    std::array<std::uint8_t, kSnapLength> bytes{};
  };
  struct Patch {
    std::size_t begin, end;
  };

  Model& model_of(std::uint64_t length) {
    Model& model = models_[(length ^ length >> 4) % models_.size()];
    if (model.length != length) model = {length, {}};
    return model;
  }

  // A patch goes on over up to two equal bytes: a new one takes as many.
  static std::size_t differences(const std::uint8_t* before, std::span<const std::uint8_t> now,
                                 std::array<Patch, kSnapLength>& patches) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < now.size();) {
      if (i + 8 <= now.size() && std::memcmp(before + i, now.data() + i, 8) == 0) {
        i += 8;
        continue;
      }
      const std::size_t stop = std::min(i + 8, now.size());
      for (; i < stop; ++i) {
        if (before[i] == now[i]) continue;
        if (count != 0 && i - patches[count - 1].end <= 2) {
          patches[count - 1].end = i + 1;
        } else {
          patches[count++] = {i, i + 1};
        }
      }
    }
    return count;
  }

  std::array<Model, 16> models_{};
};

}  // namespace ringside
