// The mailbox NIC: a ring of completions, a buffer for each, one interrupt when it is armed.
#pragma once

#include <cstdint>
#include <string>

#include "model/base/parameter.h"
#include "model/fabric/ports.h"
#include "model/mailbox/hw.h"
#include "model/probe/observer.h"
#include "model/probe/statistics.h"
#include "model/wire/frame.h"

namespace ringside {

// mailbox.*
struct MailboxConfig {
  Time latency = nanoseconds(300);

  void visit(ParameterVisitor& v);
};

class Mailbox final : public FrameSink, public MmioTarget {
 public:
  Mailbox(const MailboxConfig& config, DmaFabric& fabric) : config_(config), fabric_(fabric) {}

  // At most one; nullptr for none.
  void set_observer(PacketObserver* observer) { observer_ = observer; }
  void on_frame(Time now, const Frame& frame) override;
  void mmio_write(Time now, std::uint64_t offset, std::uint32_t size, std::uint64_t value) override;
  std::uint64_t mmio_read(Time now, std::uint64_t offset, std::uint32_t size) override;
  void register_statistics(Statistics& statistics) const;

  PhysAddr ring() const { return PhysAddr{ring_}; }
  std::uint64_t entries() const { return entries_; }
  std::uint64_t completed() const { return completed_; }
  // Throws InvariantError unless offered = dropped + completed.
  void check_conservation(Time now) const;
  std::string waiting_for() const;

 private:
  void interrupt(Time at);

  const MailboxConfig& config_;
  DmaFabric& fabric_;
  PacketObserver* observer_ = nullptr;
  std::uint64_t ring_ = 0, buffers_ = 0, entries_ = 0, tail_ = 0;
  std::uint64_t head_ = 0, armed_at_ = 0;
  bool armed_ = false;
  std::uint64_t offered_ = 0, dropped_ = 0, completed_ = 0, interrupts_ = 0;
};

}  // namespace ringside
