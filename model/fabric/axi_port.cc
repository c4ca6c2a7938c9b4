#include "model/fabric/axi_port.h"

#include <algorithm>

namespace ringside {
namespace {

constexpr std::uint32_t kBoundary = 4096;  // no burst crosses it (AMBA AXI specification A3.4.1)

}  // namespace

AxiPort::AxiPort(const sc_core::sc_module_name& name, const AxiConfig& config, Timeline& timeline,
                 PhysicalMemory& memory, DmaPort& dma)
    : sc_core::sc_module(name),
      config_((config.check(), config)),
      timeline_(timeline),
      memory_(memory),
      dma_(dma),
      write_channel_(config.bandwidth()),
      read_channel_(config.bandwidth()) {
  set_limits({});
}

void AxiPort::attach(MmioTarget& target, std::uint64_t base, std::uint64_t size) {
  target_ = &target;
  base_ = base;
  size_ = size;
}

void AxiPort::set_limits(const AxiLimits& limits) {
  limits_.beats = std::clamp<std::uint64_t>(limits.beats, 1, config_.max_burst);
  limits_.reads = std::clamp<std::uint64_t>(limits.reads, 1, config_.reads);
  limits_.writes = std::clamp<std::uint64_t>(limits.writes, 1, config_.writes);
}

void AxiPort::fire(Time now, std::uint64_t argument) {
  const auto slot = static_cast<std::uint32_t>(argument >> 2);
  switch (static_cast<Step>(argument & 3)) {
    case Step::commit:
      return commit(now);
    case Step::deliver_store:
      return deliver_store(now);
    case Step::serve:
      return serve(now, slot);
    case Step::complete:
      return complete(now, slot);
  }
}

// The first beat ends on a beat boundary, too.
std::uint32_t AxiPort::burst_length(PhysAddr at, std::uint32_t left) const {
  const std::uint64_t width = config_.bus_width.value;
  const std::uint64_t to_boundary = kBoundary - at.value % kBoundary;
  return static_cast<std::uint32_t>(
      std::min({std::uint64_t{left}, limits_.beats * width - at.value % width, to_boundary}));
}

// Bytes that the beats of a burst take on the bus.
std::uint64_t AxiPort::on_bus(PhysAddr at, std::uint32_t length) const {
  const std::uint64_t width = config_.bus_width.value;
  return (at.value % width + length + width - 1) / width * width;
}

DmaFabric::Posted AxiPort::write(Time at, PhysAddr address, std::span<const std::uint8_t> data) {
  Time sent = std::max(at, timeline_.now());
  Transfer seen{.kind = Transfer::Kind::write, .bytes = static_cast<std::uint32_t>(data.size()), .offered = sent};
  std::uint64_t first = 0;
  std::uint32_t bursts = 0;
  PhysAddr next = address;
  for (auto left = static_cast<std::uint32_t>(data.size()); left > 0;) {
    const std::uint32_t length = burst_length(next, left);
    const Time otherwise = std::max(sent, write_channel_.free());
    const Time start = write_bursts_.room(otherwise, limits_.writes);
    write_stall_ps_ += (start - otherwise).value;
    seen.credit_wait += start - otherwise;
    if (bursts == 0) seen.begin = start;
    sent = write_channel_.send(start, on_bus(next, length));
    const std::uint64_t burst = write_bursts_.add(sent + config_.request_latency + config_.response_latency);
    if (bursts++ == 0) first = burst;
    next.value += length;
    left -= length;
  }
  newest_visible_ = sent + config_.request_latency;
  ++writes_;
  write_bytes_ += data.size();
  posted_.push(address, data, bursts, first);
  schedule(newest_visible_, Step::commit);
  if (transfers_ != nullptr) {
    seen.end = sent;
    seen.arrival = newest_visible_;
    seen.headers = bursts;
    seen.returned = newest_visible_ + config_.response_latency;
    transfers_->transfer(timeline_.now(), seen);
  }
  return {sent, newest_visible_};
}

void AxiPort::commit(Time now) {
  const PostedQueue::Write write = posted_.front();
  if (memory_.contains(write.address, write.length)) {
    const Time done = dma_.write(now, write.address, posted_.front_data());
    if (done > now) {
      write_bursts_.postpone(write.first_credit, write.tlps, done + config_.response_latency);
      if (transfers_ != nullptr) transfers_->postponed(now, posted_.size() - 1, done + config_.response_latency);
    }
  } else {
    ++decode_errors_;
  }
  posted_.pop();
}

void AxiPort::read(Time at, PhysAddr address, std::uint32_t length, DmaReader& reader, std::uint64_t tag) {
  Time from = std::max(at, timeline_.now());
  if (from + config_.request_latency < newest_visible_) from = newest_visible_ - config_.request_latency;
  const std::uint32_t slot = reads_.acquire();
  Read& read = reads_[slot];
  read.reader = &reader;
  read.tag = tag;
  read.length = length;
  read.bursts_left = 0;
  read.ok = true;
  if (read.data.size() < length) read.data.resize(length);
  for (std::uint32_t offset = 0; offset < length;) {
    const PhysAddr next{address.value + offset};
    const std::uint32_t size = burst_length(next, length - offset);
    const std::uint32_t burst = bursts_.acquire();
    bursts_[burst] = {slot, offset, size, next, from};
    waiting_.push(burst);
    ++read.bursts_left;
    offset += size;
  }
  ++dma_reads_;
  read_bytes_ += length;
  if (transfers_ != nullptr) transfers_->read_named(slot);
  start_reads(timeline_.now());
}

void AxiPort::start_reads(Time now) {
  while (!waiting_.empty() && reads_outstanding_ < limits_.reads) {
    const std::uint32_t slot = waiting_.front();
    waiting_.pop();
    const Time offered = bursts_[slot].at;
    const Time from = std::max(now, offered);
    read_stall_ps_ += (from - offered).value;
    ++reads_outstanding_;
    schedule(from + config_.request_latency, Step::serve, slot);
  }
}

// The data channel is taken in the order of the requests: one ID.
void AxiPort::serve(Time now, std::uint32_t slot) {
  const Burst& burst = bursts_[slot];
  Read& read = reads_[burst.read];
  Time ready = now;
  if (memory_.contains(burst.address, burst.length)) {
    ready = dma_.read(now, burst.address, {read.data.data() + burst.offset, burst.length});
  } else {
    read.ok = false;
    ++decode_errors_;
  }
  const Time begin = std::max(ready, read_channel_.free());
  const Time sent = read_channel_.send(ready, on_bus(burst.address, burst.length));
  const Time arrival = sent + config_.response_latency;
  if (transfers_ != nullptr) {
    transfers_->transfer(now, {.kind = Transfer::Kind::read_data, .bytes = burst.length, .read = burst.read, .offered = ready,
                               .begin = begin, .end = sent, .arrival = arrival, .returned = arrival});
  }
  schedule(arrival, Step::complete, slot);
}

void AxiPort::complete(Time now, std::uint32_t slot) {
  const std::uint32_t owner = bursts_[slot].read;
  bursts_.release(slot);
  --reads_outstanding_;
  start_reads(now);
  if (--reads_[owner].bursts_left > 0) return;
  // The reader may ask for more, which may move the records.
  Read read = std::move(reads_[owner]);
  read.reader->on_read(now, read.tag, {read.data.data(), read.ok ? read.length : 0}, read.ok);
  reads_[owner].data = std::move(read.data);
  reads_.release(owner);
}

Time AxiPort::mmio_write(Time at, std::uint64_t address, std::uint32_t size, std::uint64_t value) {
  const Time from = std::max({at, timeline_.now(), store_free_});
  store_free_ = from + config_.store_spacing;
  stores_.push({address, value, size});
  schedule(from + config_.mmio_latency, Step::deliver_store);
  return store_free_;
}

void AxiPort::deliver_store(Time now) {
  const Store store = stores_.front();
  stores_.pop();
  ++mmio_writes_;
  if (observer_ != nullptr) observer_->mmio(now, store.address, store.value, true);
  if (attached(store.address, store.size))
    target_->mmio_write(now, store.address - base_, store.size, store.value);
  else
    ++decode_errors_;
}

MmioFabric::ReadResult AxiPort::mmio_read(Time at, std::uint64_t address, std::uint32_t size) {
  const Time from = std::max({at, timeline_.now(), store_free_});
  const Time arrival = from + config_.mmio_latency;
  timeline_.run_until(arrival);
  ++mmio_reads_;
  std::uint64_t value = ~0ULL >> (64 - 8 * size);
  if (attached(address, size))
    value = target_->mmio_read(arrival, address - base_, size);
  else
    ++decode_errors_;
  if (observer_ != nullptr) observer_->mmio(arrival, address, value, false);
  return {value, arrival + config_.mmio_latency};
}

void AxiPort::register_statistics(Statistics& s) const {
  s.add("axi_write_bus_bytes", "bytes", write_channel_.bytes(), "Bytes of the beats of write bursts, padding included");
  s.add("axi_write_bursts", "bursts", write_channel_.packets(), "Write bursts");
  s.add("axi_write_busy", "ps", write_channel_.busy_ps(), "Time during which the write channel was taken");
  s.add("axi_read_bus_bytes", "bytes", read_channel_.bytes(), "Bytes of the beats of read bursts, padding included");
  s.add("axi_read_bursts", "bursts", read_channel_.packets(), "Read bursts");
  s.add("axi_read_busy", "ps", read_channel_.busy_ps(), "Time during which the read channel was taken");
  s.add("axi_dma_writes", "writes", writes_, "Writes of the device");
  s.add("axi_dma_write_bytes", "bytes", write_bytes_, "Payload of these");
  s.add("axi_dma_reads", "reads", dma_reads_, "Reads of the device");
  s.add("axi_dma_read_bytes", "bytes", read_bytes_, "Payload of these");
  s.add("axi_write_stall", "ps", write_stall_ps_, "Time that write bursts waited for answers to earlier ones");
  s.add("axi_read_stall", "ps", read_stall_ps_, "Time that read bursts waited for answers to earlier ones");
  s.add("axi_mmio_writes", "writes", mmio_writes_, "Writes of cores to the device");
  s.add("axi_mmio_reads", "reads", mmio_reads_, "Reads of cores from the device");
  s.add("axi_decode_errors", "accesses", decode_errors_, "Accesses to addresses that nobody claims");
}

}  // namespace ringside
