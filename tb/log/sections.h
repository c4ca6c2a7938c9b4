// Everything of an event log that is no record, as bytes and back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tb/log/format.h"
#include "tb/log/varint.h"

namespace ringside {

void encode(ByteSink& to, const LogHead& head);
void encode(ByteSink& to, const BlockStart& start);
void encode(ByteSink& to, const LogDirectory& directory);

// Nothing if the bytes make no sense or are more than the limits of format.h allow. Names are made printable.
std::optional<LogHead> decode_head(ByteSource& from);
std::optional<BlockStart> decode_block_start(ByteSource& from);
std::optional<LogDirectory> decode_directory(ByteSource& from);

std::string little_endian_32(std::uint32_t value);
std::string little_endian_64(std::uint64_t value);
std::uint32_t read_32(std::span<const std::uint8_t> at);
std::uint64_t read_64(std::span<const std::uint8_t> at);
std::uint32_t crc_of(std::span<const std::uint8_t> data);

}  // namespace ringside
