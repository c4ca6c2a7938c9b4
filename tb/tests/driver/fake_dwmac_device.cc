// The device, and the caches between it and the processor.
#include <algorithm>
#include <cstring>

#include "driver/kernel/interrupt.h"
#include "tb/tests/driver/fake_dwmac.h"

namespace ringside {

namespace dw = dwmac;
namespace eqos = dwmac::eqos;
namespace xgmac = dwmac::xgmac;

namespace {

template <class T>
T* at(std::uint64_t address) {
  return reinterpret_cast<T*>(address);
}

std::uint64_t address_of(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high & 0xffff} << 32; }

}  // namespace

std::uint32_t FakeDwmac::channel(std::uint32_t eqos_offset, std::uint32_t xgmac_offset) const {
  return config_.xgmac ? xgmac::kDmaChannel + xgmac_offset : eqos::kDmaChannel + eqos_offset;
}

std::uint32_t& FakeDwmac::word(std::uint32_t offset) { return bar_.at(offset / 4); }
std::uint32_t FakeDwmac::reg(std::uint32_t offset) const { return bar_.at(offset / 4); }

#define CHANNEL(name) channel(eqos::name, xgmac::name)

void FakeDwmac::reset_registers() {
  constexpr std::uint32_t fifo_16k = 7;
  std::fill(bar_.begin(), bar_.end(), 0);
  word(eqos::kMacVersion) = config_.xgmac ? xgmac::kXgmacId << 8 | 0x32 : config_.version;
  word(eqos::kMacHwFeature0) = dw::kFeature0RxCoe | dw::kFeature0TxCoe;
  word(eqos::kMacHwFeature1) = dw::kFeature1Sphen | fifo_16k | fifo_16k << dw::kFeature1TxFifoShift;
  status_ = current_ = transmit_current_ = 0;
  suspended_ = false;
}

void FakeDwmac::before_access(const void* address, bool store) {
  settle_registers();
  const auto a = reinterpret_cast<std::uint64_t>(address);
  if (a >= board_.nic_bar && a < board_.nic_bar + dw::kRegisterWindow) {
    const auto offset = static_cast<std::uint32_t>(a - board_.nic_bar);
    if (offset == CHANNEL(kChStatus)) word(offset) = status_;
    if (store) written_ = offset;
    return;
  }
  if (priv_ == nullptr || rxq().dma_rx == nullptr) return;
  const auto ring = reinterpret_cast<std::uint64_t>(rxq().dma_rx);
  if (a < ring || a >= ring + config_.ring * sizeof(dma_desc)) return;
  (store ? descriptor_stores_ : descriptor_loads_)++;
  // The DMA may look at any time.
  if (!config_.retry_by_owner) return;
  suspended_ = false;
  run_receive();
}

void FakeDwmac::settle_registers() {
  if (written_ == ~0u) return;
  const std::uint32_t offset = written_;
  written_ = ~0u;
  register_written(offset);
}

void FakeDwmac::register_written(std::uint32_t offset) {
  const std::uint32_t mode = config_.xgmac ? xgmac::kDmaMode : eqos::kDmaMode;
  if (offset == mode && (word(offset) & dw::kDmaModeSwr)) {
    reset_registers();
  } else if (offset == CHANNEL(kChStatus)) {
    status_ &= ~word(offset);
  } else if (offset == CHANNEL(kChRxTail)) {
    tail_writes_++;
    suspended_ = false;
    run_receive();
  } else if (offset == CHANNEL(kChRxControl)) {
    run_receive();
  } else if (offset == CHANNEL(kChTxTail)) {
    run_transmit();
  } else if (offset == CHANNEL(kChIntEnable)) {
    raise(0);
  }
}

void FakeDwmac::raise(std::uint32_t bits) {
  status_ |= bits;
  if (!config_.preempt || in_handler_ || in_softirq() || !line_pending()) return;
  in_handler_ = true;
  handle_interrupts(1);
  in_handler_ = false;
}

bool FakeDwmac::line_pending() {
  settle_registers();
  const bool old = !config_.xgmac && config_.version < eqos::kVersion410;
  const std::uint32_t nie = old ? eqos::kIntNie400 : dw::kIntNie;
  const std::uint32_t aie = old ? eqos::kIntAie400 : dw::kIntAie;
  const std::uint32_t enable = reg(CHANNEL(kChIntEnable));
  const std::uint32_t active = status_ & enable;
  return ((active & (dw::kIntRi | dw::kIntTi)) && (enable & nie)) || ((active & dw::kIntRbu) && (enable & aie));
}

void FakeDwmac::advance() {
  const std::uint32_t entries = reg(CHANNEL(kChRxRingLength)) + 1;
  current_ = (current_ + 1) % entries;
  const std::uint32_t tail = (reg(CHANNEL(kChRxTail)) - reg(CHANNEL(kChRxList))) / 16 % entries;
  // The one that arrives at the tail has used all that it was given.
  if (current_ == tail) suspended_ = true;
}

void FakeDwmac::run_receive() {
  if (inside_) return;
  inside_ = true;
  while (!fifo_.empty() && (reg(CHANNEL(kChRxControl)) & dw::kChRxSr) != 0) {
    Frame& frame = fifo_.front();
    if (suspended_ || !receive_piece(frame)) {
      // Raised on the transition, not again for each retry.
      if (owned_before_) raise(dw::kIntRbu | dw::kIntAis);
      owned_before_ = false;
      suspended_ = true;
      break;
    }
    owned_before_ = true;
    if (frame.done < frame.bytes.size() || frame.context) continue;
    fifo_.pop_front();
    inside_ = false;  // what the interrupt does may have more received
    raise(dw::kIntRi | dw::kIntNis);
    if (inside_) return;
    inside_ = true;
  }
  inside_ = false;
}

bool FakeDwmac::receive_piece(Frame& frame) {
  const std::uint64_t ring = address_of(reg(CHANNEL(kChRxList)), reg(CHANNEL(kChRxListHigh)));
  dma_desc& descriptor = at<dma_desc>(ring)[current_];
  if (!(descriptor.des3 & dw::kDes3Own)) return false;
  if (frame.context) {
    write_context(descriptor, frame.info.timestamp);
    frame.context = false;
  } else {
    const bool first = frame.done == 0;
    frame.done += fill(descriptor, frame);
    const bool last = frame.done == frame.bytes.size();
    write_back(descriptor, frame, first, last);
    frame.context = last && frame.info.timestamp != 0;
  }
  advance();
  return true;
}

void FakeDwmac::write_context(dma_desc& descriptor, std::uint64_t timestamp) {
  constexpr std::uint64_t second = 1'000'000'000;
  descriptor.des0 = static_cast<std::uint32_t>(timestamp % second);
  descriptor.des1 = static_cast<std::uint32_t>(timestamp / second);
  descriptor.des2 = 0;
  descriptor.des3 = dw::kDes3Ctxt | (config_.xgmac ? xgmac::kRdes3TimestampAvailable : 0);
}

// Puts what fits into the buffers; returns how many bytes those are.
std::uint64_t FakeDwmac::fill(dma_desc& descriptor, Frame& frame) {
  constexpr std::uint32_t reserved = 0x3cff'0000;
  const std::uint32_t size =
      (reg(CHANNEL(kChRxControl)) & dw::kChRxRbszMask) >> dw::kChRxRbszShift;
  const bool split = (reg(CHANNEL(kChControl)) & dw::kChControlSph) != 0;
  const std::uint64_t buffer1 = address_of(descriptor.des0, descriptor.des1);
  const std::uint64_t buffer2 = address_of(descriptor.des2, descriptor.des3);
  const bool buffer2_valid =
      config_.xgmac ? buffer2 != 0 || config_.zero_buffer_used : (descriptor.des3 & eqos::kRdes3Buf2v) != 0;
  if ((descriptor.des3 & reserved & ~(config_.xgmac ? 0 : eqos::kRdes3Buf1v | eqos::kRdes3Buf2v)) != 0) {
    complaints_.push_back("reserved bits in a descriptor");
  }
  const std::uint64_t left = frame.bytes.size() - frame.done;
  std::uint64_t in1 = std::min<std::uint64_t>(left, size);
  if (split && frame.done == 0 && frame.info.header != 0) in1 = std::min<std::uint64_t>(left, frame.info.header);
  if (split && frame.done != 0) in1 = 0;
  const std::uint64_t in2 = buffer2_valid ? std::min<std::uint64_t>(left - in1, size) : 0;
  dma_write(buffer1, frame.bytes.data() + frame.done, in1);
  dma_write(buffer2, frame.bytes.data() + frame.done + in1, in2);
  return in1 + in2;
}

void FakeDwmac::write_back(dma_desc& descriptor, const Frame& frame, bool first, bool last) {
  const FrameInfo& info = frame.info;
  const std::uint32_t length = info.claimed_length != ~0u ? info.claimed_length : static_cast<std::uint32_t>(frame.done);
  const bool split = (reg(CHANNEL(kChControl)) & dw::kChControlSph) != 0;
  // Headers that XGMAC does not know leave any length behind.
  constexpr std::uint32_t garbage = 0x155;
  descriptor.des0 = info.vlan;
  if (config_.xgmac) {
    std::uint32_t des3 = length & xgmac::kRdes3PlMask;
    descriptor.des1 = info.hash;
    descriptor.des2 = !split ? 0 : info.l34t != 0 ? (first ? info.header : 0) : garbage;
    if (first) des3 |= xgmac::kRdes3Fd;
    if (last) {
      des3 |= xgmac::kRdes3Ld | info.l34t << xgmac::kRdes3L34tShift;
      if (info.hash != 0) des3 |= xgmac::kRdes3Rsv;
      if (info.vlan != 0) des3 |= 9u << xgmac::kRdes3EtLtShift;
      if (info.bad_crc) des3 |= xgmac::kRdes3ErrorSummary | xgmac::kEtCrc << xgmac::kRdes3EtLtShift;
      if (info.bad_checksum) des3 |= xgmac::kRdes3ErrorSummary | xgmac::kEtChecksum << xgmac::kRdes3EtLtShift;
      if (info.timestamp != 0) des3 |= xgmac::kRdes3Cda;
    } else {
      des3 |= info.l34t << xgmac::kRdes3L34tShift;
    }
    descriptor.des3 = des3;
    return;
  }
  std::uint32_t des3 = (length & eqos::kRdes3PlMask) | eqos::kRdes3Rs1v | eqos::kRdes3Rs2v;
  descriptor.des1 = 0;
  descriptor.des2 = split && first ? info.header : 0;
  if (first) des3 |= eqos::kRdes3Fd;
  if (last) {
    des3 |= eqos::kRdes3Ld;
    if (info.vlan != 0) des3 |= eqos::kRdes3Rs0v;
    if (info.bad_crc) des3 |= eqos::kRdes3ErrorSummary | eqos::kRdes3CrcError;
    if (info.bad_checksum) descriptor.des1 |= eqos::kRdes1IpCsumError;
    if (info.other_address) descriptor.des2 |= eqos::kRdes2DaFilterFail;
    if (info.timestamp != 0) descriptor.des1 |= eqos::kRdes1TimestampAvailable;
  }
  descriptor.des3 = des3;
}

bool FakeDwmac::in_heap(std::uint64_t address) const {
  return address >= board_.heap_base && address < board_.heap_base + board_.heap_size;
}

void FakeDwmac::dma_write(std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size) {
  if (size == 0) return;
  if (!in_heap(address) || !in_heap(address + size - 1)) {
    complaints_.push_back("a write to where there is no buffer");
    return;
  }
  if (config_.coherent) {
    std::memcpy(at<std::uint8_t>(address), bytes, size);
    return;
  }
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::uint64_t line = (address + i) & ~std::uint64_t{L1_CACHE_BYTES - 1};
    std::vector<std::uint8_t>& data = unseen_[line];
    if (data.empty()) data.assign(at<std::uint8_t>(line), at<std::uint8_t>(line) + L1_CACHE_BYTES);
    data[address + i - line] = bytes[i];
  }
}

// A line that the processor has written covers what DMA wrote to memory. Whether it is written back on purpose or on its
// way out of the cache makes no difference, and processors that forget it without doing so cannot be relied upon.
void FakeDwmac::clean_line(std::uint64_t line) {
  operations_.cvac++;
  if (!in_heap(line)) return;
  unseen_.erase(line);
  clean_.at((line - board_.heap_base) / L1_CACHE_BYTES) = true;
}

void FakeDwmac::invalidate_line(std::uint64_t line, bool clean_first) {
  (clean_first ? operations_.civac : operations_.ivac)++;
  if (!in_heap(line)) return;
  std::vector<bool>::reference clean = clean_.at((line - board_.heap_base) / L1_CACHE_BYTES);
  const auto found = unseen_.find(line);
  if (found != unseen_.end()) {
    if (clean) std::memcpy(at<std::uint8_t>(line), found->second.data(), L1_CACHE_BYTES);
    unseen_.erase(found);
  }
  clean = true;
}

void FakeDwmac::stall_transmit(bool stalled) {
  stalled_ = stalled;
  run_transmit();
}

void FakeDwmac::run_transmit() {
  const std::uint64_t ring = address_of(reg(CHANNEL(kChTxList)), reg(CHANNEL(kChTxListHigh)));
  const std::uint32_t entries = reg(CHANNEL(kChTxRingLength)) + 1;
  const std::uint32_t tail = (reg(CHANNEL(kChTxTail)) - reg(CHANNEL(kChTxList))) / 16 % entries;
  while (!stalled_ && ring != 0 && transmit_current_ != tail) {
    dma_desc& descriptor = at<dma_desc>(ring)[transmit_current_];
    if (!(descriptor.des3 & dw::kDes3Own)) return;
    const std::uint32_t flags = descriptor.des3 & (dw::kTdes3Fd | dw::kTdes3Ld);
    if (flags & dw::kTdes3Fd) building_.clear();
    const auto* bytes = at<std::uint8_t>(address_of(descriptor.des0, descriptor.des1));
    building_.insert(building_.end(), bytes, bytes + (descriptor.des2 & dw::kTdes2B1lMask));
    const bool interrupt = (descriptor.des2 & dw::kTdes2Ioc) != 0;
    descriptor.des3 = flags;
    transmit_current_ = (transmit_current_ + 1) % entries;
    if (!(flags & dw::kTdes3Ld)) continue;
    transmitted_.push_back(building_);
    transmit_interrupts_.push_back(interrupt);
    if (interrupt) raise(dw::kIntTi | dw::kIntNis);
  }
}

}  // namespace ringside
