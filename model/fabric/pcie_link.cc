#include "model/fabric/pcie_link.h"

#include <algorithm>
#include <cstring>

#include "model/guest/contract.h"

namespace ringside {
namespace {

constexpr std::uint32_t kBoundary = 4096;  // no request crosses it (PCIe base specification 2.2.7)
constexpr std::uint32_t kMsiBytes = 4;

// What waiting for credits costs beyond waiting for the link.
std::uint64_t stall(Time start, Time offered, const LinkDirection& link) {
  const Time otherwise = std::max(offered, link.free());
  return start > otherwise ? (start - otherwise).value : 0;
}

std::uint32_t to_boundary(PhysAddr at) { return kBoundary - static_cast<std::uint32_t>(at.value % kBoundary); }

}  // namespace

PcieLink::PcieLink(const sc_core::sc_module_name& name, const PcieConfig& config, Timeline& timeline,
                   PhysicalMemory& memory, DmaPort& dma, InterruptSink& interrupts)
    : sc_core::sc_module(name),
      config_((config.check(), config)),
      timeline_(timeline),
      memory_(memory),
      dma_(dma),
      interrupts_(interrupts),
      request_overhead_(static_cast<std::uint32_t>((config.framing + config.request_header).value)),
      completion_overhead_(static_cast<std::uint32_t>((config.framing + config.completion_header).value)),
      up_(config.tlp_bandwidth()),
      down_(config.tlp_bandwidth()),
      posted_(config.posted_headers, config.posted_data),
      nonposted_(config.nonposted_headers, 0),
      device_posted_(config.device_posted_headers, config.device_posted_data) {}

void PcieLink::attach(MmioTarget& target, std::uint64_t bar_base, std::uint64_t bar_size) {
  target_ = &target;
  bar_base_ = bar_base;
  bar_size_ = bar_size;
}

void PcieLink::fire(Time now, std::uint64_t argument) {
  const auto slot = static_cast<std::uint32_t>(argument >> 3);
  switch (static_cast<Step>(argument & 7)) {
    case Step::commit:
      return commit(now);
    case Step::send_store:
      return send_store(now);
    case Step::deliver_store:
      return deliver_store(now);
    case Step::serve:
      return serve(now, slot);
    case Step::return_data:
      return return_data(now, slot);
    case Step::complete:
      return complete(now, slot);
    case Step::wake:
      wake_pending_ = false;
      return start_requests(now);
  }
}

DmaFabric::Posted PcieLink::write(Time at, PhysAddr address, std::span<const std::uint8_t> data) {
  const auto mps = static_cast<std::uint32_t>(config_.mps.value);
  Time sent = std::max(at, timeline_.now());
  Time visible = sent;
  Transfer seen{.kind = Transfer::Kind::write, .bytes = static_cast<std::uint32_t>(data.size()), .offered = sent};
  std::uint64_t first_credit = 0;
  std::uint32_t tlps = 0;
  PhysAddr next = address;
  for (auto left = static_cast<std::uint32_t>(data.size()); left > 0;) {
    const std::uint32_t payload = std::min({left, mps, to_boundary(next)});
    const std::uint32_t credits = data_credits(payload);
    const Time start = posted_.room(sent, credits);
    const std::uint64_t waited = stall(start, sent, up_);
    posted_stall_ps_ += waited;
    seen.credit_wait.value += waited;
    seen.data += credits;
    if (tlps == 0) seen.begin = std::max(start, up_.free());
    sent = up_.send(start, request_overhead_ + payload);
    visible = sent + config_.upstream_latency + config_.root_latency;
    const std::uint64_t credit = posted_.take(visible + config_.credit_latency, credits);
    if (tlps++ == 0) first_credit = credit;
    next.value += payload;
    left -= payload;
  }
  ++dma_writes_;
  dma_write_bytes_ += data.size();
  posted_writes_.push(address, data, tlps, first_credit);
  schedule(visible, Step::commit);
  if (transfers_ != nullptr) {
    seen.end = sent;
    seen.arrival = visible;
    seen.headers = tlps;
    seen.returned = visible + config_.credit_latency;
    transfers_->transfer(timeline_.now(), seen);
  }
  return {sent, visible};
}

void PcieLink::commit(Time now) {
  const PostedQueue::Write write = posted_writes_.front();
  const std::span<const std::uint8_t> data = posted_writes_.front_data();
  if (memory_.contains(write.address, write.length)) {
    const Time done = dma_.write(now, write.address, data);
    if (done > now && !posted_.unlimited()) {
      posted_.postpone(write.first_credit, write.tlps, done + config_.credit_latency);
      if (transfers_ != nullptr) transfers_->postponed(now, posted_writes_.size() - 1, done + config_.credit_latency);
    }
    posted_writes_.pop();
  } else if (write.address.value == guest::kMsiAddress && write.length == kMsiBytes) {
    std::uint32_t vector = 0;
    std::memcpy(&vector, data.data(), sizeof vector);
    posted_writes_.pop();
    ++interrupt_messages_;
    interrupts_.interrupt(now, vector);
  } else {
    posted_writes_.pop();
    ++unsupported_requests_;
  }
}

void PcieLink::read(Time at, PhysAddr address, std::uint32_t length, DmaReader& reader, std::uint64_t tag) {
  const Time from = std::max(at, timeline_.now());
  const auto mrrs = static_cast<std::uint32_t>(config_.mrrs.value);
  const std::uint32_t slot = reads_.acquire();
  Read& read = reads_[slot];
  read.reader = &reader;
  read.tag = tag;
  read.length = length;
  read.requests_left = 0;
  read.ok = true;
  if (read.data.size() < length) read.data.resize(length);
  for (std::uint32_t offset = 0; offset < length;) {
    const PhysAddr next{address.value + offset};
    const std::uint32_t size = std::min({length - offset, mrrs, to_boundary(next)});
    std::uint32_t completions = 0;
    for (std::uint32_t done = 0; done < size; ++completions)
      done += completion_length(PhysAddr{next.value + done}, size - done);
    const std::uint32_t request = requests_.acquire();
    requests_[request] = {slot, offset, size, completions, next, from};
    waiting_.push(request);
    ++read.requests_left;
    offset += size;
  }
  ++dma_reads_;
  dma_read_bytes_ += length;
  if (transfers_ != nullptr) transfers_->read_named(slot);
  start_requests(timeline_.now());
}

// A request joins the queue for the link once it has a tag, space for its completions and a credit; until then writes
// pass it.
void PcieLink::start_requests(Time now) {
  while (!waiting_.empty() && tags_used_ < config_.tags) {
    const std::uint32_t slot = waiting_.front();
    const Request& request = requests_[slot];
    if (!completions_fit(request)) return;
    const Time from = std::max(now, request.at);
    const Time ready = nonposted_.room(from, 0);
    if (ready > from) {
      if (!wake_pending_) schedule(ready, Step::wake);
      wake_pending_ = true;
      return;
    }
    read_stall_ps_ += (from - request.at).value;
    waiting_.pop();
    send_request(from, slot);
  }
}

bool PcieLink::completions_fit(const Request& request) const {
  const bool headers =
      config_.completion_headers == 0 || completion_headers_used_ + request.completions <= config_.completion_headers;
  const bool data =
      config_.completion_data == 0 || completion_data_used_ + data_credits(request.length) <= config_.completion_data;
  return headers && data;
}

void PcieLink::send_request(Time from, std::uint32_t slot) {
  const Request& request = requests_[slot];
  ++tags_used_;
  completion_headers_used_ += request.completions;
  completion_data_used_ += data_credits(request.length);
  const Time begin = std::max(from, up_.free());
  const Time sent = up_.send(from, request_overhead_);
  const Time served = sent + config_.upstream_latency + config_.root_latency;
  publish(timeline_.now(), {.kind = Transfer::Kind::read_request, .read = request.read, .offered = request.at, .begin = begin, .end = sent,
                            .arrival = served});
  nonposted_.take(served + config_.credit_latency, 0);
  schedule(served, Step::serve, slot);
}

void PcieLink::serve(Time now, std::uint32_t slot) {
  const Request& request = requests_[slot];
  Read& read = reads_[request.read];
  if (!memory_.contains(request.address, request.length)) {
    read.ok = false;
    ++unsupported_requests_;
    const Time begin = std::max(now, down_.free());
    const Time sent = down_.send(now, completion_overhead_);
    publish(now, {.kind = Transfer::Kind::read_data, .read = request.read, .offered = now, .begin = begin, .end = sent,
                  .arrival = sent + config_.downstream_latency});
    schedule(sent + config_.downstream_latency, Step::complete, slot);
    return;
  }
  const Time ready = dma_.read(now, request.address, {read.data.data() + request.offset, request.length});
  // The link is taken when the data is there, not before: what is ready earlier goes first.
  if (ready > now)
    schedule(ready, Step::return_data, slot);
  else
    return_data(now, slot);
}

void PcieLink::return_data(Time now, std::uint32_t slot) {
  const Request& request = requests_[slot];
  const Time begin = std::max(now, down_.free());
  Time sent = now;
  for (std::uint32_t done = 0; done < request.length;) {
    const std::uint32_t size = completion_length(PhysAddr{request.address.value + done}, request.length - done);
    sent = down_.send(now, completion_overhead_ + size);
    done += size;
  }
  publish(now, {.kind = Transfer::Kind::read_data, .bytes = request.length, .read = request.read, .offered = now, .begin = begin,
                .end = sent, .arrival = sent + config_.downstream_latency});
  schedule(sent + config_.downstream_latency, Step::complete, slot);
}

void PcieLink::complete(Time now, std::uint32_t slot) {
  const Request request = requests_[slot];
  requests_.release(slot);
  --tags_used_;
  completion_headers_used_ -= request.completions;
  completion_data_used_ -= data_credits(request.length);
  start_requests(now);
  Read& read = reads_[request.read];
  if (--read.requests_left > 0) return;
  const std::span<const std::uint8_t> data{read.data.data(), read.ok ? read.length : 0};
  read.reader->on_read(now, read.tag, data, read.ok);
  reads_.release(request.read);
}

// Completions end on a multiple of the boundary and carry at most one max payload.
std::uint32_t PcieLink::completion_length(PhysAddr at, std::uint32_t left) const {
  return std::min(left, static_cast<std::uint32_t>(config_.mps.value - at.value % config_.rcb.value));
}

// The latency between core and root port is added behind the link, so that what is ready at the root port meanwhile
// does not wait for it.
Time PcieLink::mmio_write(Time at, std::uint64_t address, std::uint32_t size, std::uint64_t value) {
  const Time from = std::max({at, timeline_.now(), uncached_free_});
  uncached_free_ = from + config_.uncached_spacing;
  stores_.push({address, value, size});
  schedule(from, Step::send_store);
  return uncached_free_;
}

void PcieLink::send_store(Time now) {
  const Store store = stores_.front();
  stores_.pop();
  const std::uint32_t credits = data_credits(store.size);
  const Time start = device_posted_.room(now, credits);
  const std::uint64_t waited = stall(start, now, down_);
  mmio_stall_ps_ += waited;
  const Time begin = std::max(start, down_.free());
  const Time sent = down_.send(start, request_overhead_ + store.size);
  const Time arrival = sent + config_.root_latency + config_.downstream_latency;
  publish(now, {.kind = Transfer::Kind::store, .bytes = store.size, .offered = now, .begin = begin, .end = sent, .arrival = arrival,
                .credit_wait = Time{waited}});
  device_posted_.take(arrival + config_.credit_latency, credits);
  stores_on_link_.push(store);
  schedule(arrival, Step::deliver_store);
}

void PcieLink::deliver_store(Time now) {
  const Store store = stores_on_link_.front();
  stores_on_link_.pop();
  ++mmio_writes_;
  if (observer_ != nullptr) observer_->mmio(now, store.address, store.value, true);
  if (in_bar(store.address, store.size))
    target_->mmio_write(now, store.address - bar_base_, store.size, store.value);
  else
    ++unsupported_requests_;
}

MmioFabric::ReadResult PcieLink::mmio_read(Time at, std::uint64_t address, std::uint32_t size) {
  const Time from = std::max({at, timeline_.now(), uncached_free_});
  timeline_.run_until(from);
  const Time asked = std::max(from, down_.free());
  const Time request_sent = down_.send(from, request_overhead_);
  const Time arrival = request_sent + config_.root_latency + config_.downstream_latency;
  publish(from, {.kind = Transfer::Kind::load_request, .offered = from, .begin = asked, .end = request_sent, .arrival = arrival});
  timeline_.run_until(arrival);
  ++mmio_reads_;
  std::uint64_t value = ~0ULL >> (64 - 8 * size);
  std::uint32_t payload = 0;
  if (in_bar(address, size)) {
    value = target_->mmio_read(arrival, address - bar_base_, size);
    payload = size;
  } else {
    ++unsupported_requests_;
  }
  if (observer_ != nullptr) observer_->mmio(arrival, address, value, false);
  const Time begin = std::max(arrival, up_.free());
  const Time sent = up_.send(arrival, completion_overhead_ + payload);
  const Time done = sent + config_.device_latency + config_.upstream_latency + config_.root_latency;
  publish(arrival, {.kind = Transfer::Kind::load_data, .bytes = payload, .offered = arrival, .begin = begin, .end = sent, .arrival = done});
  return {value, done};
}

void PcieLink::register_statistics(Statistics& s) const {
  s.add("pcie_upstream_bytes", "bytes", up_.bytes(), "Bytes of TLPs from device to host, headers and framing included");
  s.add("pcie_upstream_tlps", "TLPs", up_.packets(), "TLPs from device to host");
  s.add("pcie_upstream_busy", "ps", up_.busy_ps(), "Time during which the link to the host was taken");
  s.add("pcie_downstream_bytes", "bytes", down_.bytes(),
        "Bytes of TLPs from host to device, headers and framing included");
  s.add("pcie_downstream_tlps", "TLPs", down_.packets(), "TLPs from host to device");
  s.add("pcie_downstream_busy", "ps", down_.busy_ps(), "Time during which the link to the device was taken");
  s.add("pcie_dma_writes", "writes", dma_writes_, "Posted writes of the device, interrupts included");
  s.add("pcie_dma_write_bytes", "bytes", dma_write_bytes_, "Payload of these");
  s.add("pcie_dma_reads", "reads", dma_reads_, "Reads of the device");
  s.add("pcie_dma_read_bytes", "bytes", dma_read_bytes_, "Payload of these");
  s.add("pcie_interrupts", "messages", interrupt_messages_, "Message-signalled interrupts delivered");
  s.add("pcie_mmio_writes", "writes", mmio_writes_, "Writes of cores to the device");
  s.add("pcie_mmio_reads", "reads", mmio_reads_, "Reads of cores from the device");
  s.add("pcie_posted_stall", "ps", posted_stall_ps_,
        "Time that posted writes waited for credits while the link was free");
  s.add("pcie_read_stall", "ps", read_stall_ps_,
        "Time that read requests waited for tags, completion space and credits");
  s.add("pcie_mmio_stall", "ps", mmio_stall_ps_, "Time that MMIO writes waited for credits while the link was free");
  s.add("pcie_unsupported_requests", "requests", unsupported_requests_, "Accesses to addresses that nobody claims");
}

}  // namespace ringside
