// The PCIe link again, as plainly as it can be said: an event for every TLP, every credit and every core store. Slow,
// and without arithmetic shortcuts; the fast model is compared with it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tb/tests/contract/pcie_bench.h"

namespace ringside::test {

class PcieOracle {
 public:
  PcieOracle(const PcieConfig& config, std::uint64_t read_latency_ps, std::uint64_t read_spread)
      : c_(config), read_latency_(read_latency_ps), read_spread_(read_spread) {
    byte_ps_ = 8'000'000'000'000 / config.tlp_bandwidth().value;
    up_.headers = config.posted_headers;
    up_.data = config.posted_data;
    down_.headers = config.device_posted_headers;
    down_.data = config.device_posted_data;
  }

  void at(std::uint64_t time, std::function<void()> action) { events_.emplace(time, std::move(action)); }

  void run() {
    while (!events_.empty()) {
      auto first = events_.begin();
      now_ = first->first;
      const auto action = std::move(first->second);
      events_.erase(first);
      action();
    }
  }

  void write(std::uint64_t address, std::uint64_t length) {
    for (std::uint64_t done = 0; done < length;) {
      const std::uint64_t payload = std::min({length - done, c_.mps.value, 4096 - (address + done) % 4096});
      done += payload;
      const bool last = done == length;
      offer(up_, {request_bytes() + payload, true, data_credits(payload), [=, this] {
                    at(now_ + c_.upstream_latency.value + c_.root_latency.value, [=, this] {
                      if (last) writes.push_back({Time{now_}, address, length});
                      return_posted(up_, data_credits(payload));
                    });
                  }});
    }
  }

  void read(std::uint64_t address, std::uint64_t length, std::uint64_t tag) {
    auto left = std::make_shared<std::uint64_t>(0);
    for (std::uint64_t done = 0; done < length;) {
      const std::uint64_t size = std::min({length - done, c_.mrrs.value, 4096 - (address + done) % 4096});
      ++*left;
      waiting_.push_back({address + done, size, tag, left});
      done += size;
    }
    start_requests();
  }

  // The core's stores leave one at a time.
  void mmio_write(std::uint64_t address, std::uint64_t size, std::uint64_t value) {
    stores_.push_back({address, size, value});
    if (!store_busy_) next_store();
  }

  std::vector<Access> writes;
  std::vector<Access> reads;
  std::vector<Access> completions;
  std::vector<Access> mmio_writes;

 private:
  struct Tlp {
    std::uint64_t bytes;
    bool posted;
    std::uint64_t data;
    std::function<void()> sent;
  };
  struct Direction {
    std::deque<Tlp> queue;
    bool busy = false;
    std::uint64_t headers = 0, headers_used = 0;  // posted credits
    std::uint64_t data = 0, data_used = 0;
  };
  struct Request {
    std::uint64_t address, length, tag;
    std::shared_ptr<std::uint64_t> left;
  };
  struct Store {
    std::uint64_t address, size, value;
  };

  std::uint64_t request_bytes() const { return (c_.framing + c_.request_header).value; }
  std::uint64_t completion_bytes() const { return (c_.framing + c_.completion_header).value; }

  void offer(Direction& d, Tlp tlp) {
    d.queue.push_back(std::move(tlp));
    send(d);
  }

  void send(Direction& d) {
    if (d.busy || d.queue.empty()) return;
    Tlp& head = d.queue.front();
    if (head.posted) {
      if (d.headers != 0 && d.headers_used == d.headers) return;
      if (d.data != 0 && d.data_used + head.data > d.data) return;
      ++d.headers_used;
      d.data_used += head.data;
    }
    d.busy = true;
    at(now_ + head.bytes * byte_ps_, [this, &d] {
      const auto sent = std::move(d.queue.front().sent);
      d.queue.pop_front();
      d.busy = false;
      sent();
      send(d);
    });
  }

  void return_posted(Direction& d, std::uint64_t data) {
    at(now_ + c_.credit_latency.value, [this, &d, data] {
      --d.headers_used;
      d.data_used -= data;
      send(d);
    });
  }

  std::vector<std::uint64_t> split(const Request& r) const {
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t done = 0; done < r.length; done += sizes.back())
      sizes.push_back(std::min(r.length - done, c_.mps.value - (r.address + done) % c_.rcb.value));
    return sizes;
  }

  void start_requests() {
    while (!waiting_.empty()) {
      const Request r = waiting_.front();
      const std::uint64_t completions = split(r).size();
      const std::uint64_t data = data_credits(static_cast<std::uint32_t>(r.length));
      if (tags_used_ == c_.tags) return;
      if (c_.completion_headers != 0 && completion_headers_used_ + completions > c_.completion_headers) return;
      if (c_.completion_data != 0 && completion_data_used_ + data > c_.completion_data) return;
      if (c_.nonposted_headers != 0 && nonposted_used_ == c_.nonposted_headers) return;
      waiting_.pop_front();
      ++tags_used_;
      ++nonposted_used_;
      completion_headers_used_ += completions;
      completion_data_used_ += data;
      offer(up_, {request_bytes(), false, 0, [=, this] {
                    at(now_ + c_.upstream_latency.value + c_.root_latency.value, [=, this] { serve(r); });
                  }});
    }
  }

  void serve(const Request& r) {
    reads.push_back({Time{now_}, r.address, r.length});
    at(now_ + c_.credit_latency.value, [this] {
      --nonposted_used_;
      start_requests();
    });
    at(now_ + read_latency_ + r.address / 64 % read_spread_ * 1000, [=, this] {
      const auto sizes = split(r);
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const bool last = i + 1 == sizes.size();
        offer(down_, {completion_bytes() + sizes[i], false, 0, [=, this] {
                        if (last) at(now_ + c_.downstream_latency.value, [=, this] { complete(r); });
                      }});
      }
    });
  }

  void complete(const Request& r) {
    --tags_used_;
    completion_headers_used_ -= split(r).size();
    completion_data_used_ -= data_credits(static_cast<std::uint32_t>(r.length));
    start_requests();
    if (--*r.left == 0) completions.push_back({Time{now_}, r.tag, 1});
  }

  void next_store() {
    store_busy_ = true;
    const Store store = stores_.front();
    stores_.pop_front();
    offer(down_, {request_bytes() + store.size, true, 1, [=, this] {
                    at(now_ + c_.root_latency.value + c_.downstream_latency.value, [=, this] {
                      mmio_writes.push_back({Time{now_}, store.address - guest::kNicBar, store.value});
                      return_posted(down_, 1);
                    });
                  }});
    at(now_ + c_.uncached_spacing.value, [this] {
      store_busy_ = false;
      if (!stores_.empty()) next_store();
    });
  }

  const PcieConfig c_;
  std::uint64_t read_latency_;
  std::uint64_t read_spread_;
  std::uint64_t byte_ps_;
  std::uint64_t now_ = 0;
  std::multimap<std::uint64_t, std::function<void()>> events_;  // equal times in order of insertion
  Direction up_;
  Direction down_;
  std::deque<Request> waiting_;
  std::deque<Store> stores_;
  bool store_busy_ = false;
  std::uint64_t tags_used_ = 0;
  std::uint64_t nonposted_used_ = 0;
  std::uint64_t completion_headers_used_ = 0;
  std::uint64_t completion_data_used_ = 0;
};

}  // namespace ringside::test
