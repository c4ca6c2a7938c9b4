// A transmit DMA channel: fetches frames from its ring, and closes their descriptors when they are on the wire.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/dwmac/context.h"
#include "model/dwmac/descriptor_cache.h"
#include "model/dwmac/interrupt_lines.h"
#include "model/dwmac/registers.h"
#include "model/dwmac/transmit_port.h"
#include "model/fabric/slot_pool.h"

namespace ringside::dwmac {

// Store and forward: a frame leaves when all its bytes are in the FIFO. Frames are sent, and their descriptors written
// back, in the order of the ring. Context descriptors are closed without effect.
class TxChannel final : public DescriptorCache::Client, public DmaReader, public TransmitClient, public EventTarget {
 public:
  TxChannel(Context& context, const Registers& registers, InterruptLines& lines, TransmitPort& port, std::uint32_t number)
      : context_(context), registers_(registers), lines_(lines), port_(port), number_(number), ring_(context, *this, RingKind::send, number) {}

  DescriptorCache& ring() { return ring_; }
  void start(Time now);
  void stop(Time now);

  std::string waiting_for() const;

  void descriptors_arrived(Time now) override { advance(now); }
  void starved(Time now) override;
  void bus_error(Time now) override;
  void on_read(Time now, std::uint64_t tag, std::span<const std::uint8_t> data, bool ok) override;
  void transmitted(Time now, std::uint32_t frame) override;
  void fire(Time now, std::uint64_t argument) override;  // a write-back has been answered

 private:
  struct Frame {
    std::vector<std::uint8_t> bytes;
    std::vector<DescriptorCache::Entry> entries;
    std::uint32_t reads_left = 0;
    bool whole = false;  // its last descriptor is known
    bool checksums = false;
    bool ioc = false;
  };

  void advance(Time now);
  void use(Time now, const DescriptorCache::Entry& entry);
  void send_if_ready(Time now, std::uint32_t slot);
  DmaFabric::Posted close(Time now, const DescriptorCache::Entry& entry);

  Context& context_;
  const Registers& registers_;
  InterruptLines& lines_;
  TransmitPort& port_;
  const std::uint32_t number_;
  DescriptorCache ring_;
  SlotPool<Frame> frames_;
  std::optional<std::uint32_t> assembling_;  // frame whose last descriptor is to come
  std::uint64_t under_way_ = 0;              // frames begun and without status
};

}  // namespace ringside::dwmac
