#include "model/fabric/pcie_config.h"

#include <fmt/format.h>

#include <bit>

#include "model/base/errors.h"
#include "model/fabric/credit_pool.h"

namespace ringside {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::uint64_t kSkipBytes = 4;          // SKIP ordered set
constexpr std::uint64_t kSkipInterval = 1538;    // longest distance in symbols (PCIe base specification 4.2.7.3)
constexpr std::uint64_t kTlpOverheadBytes = 28;  // as the specification counts it for the ACK limit

constexpr Need kDerivedRate{{"pcie.efficiency", "0"}};

void require_power_of_two(std::string_view name, std::uint64_t value) {
  if (!std::has_single_bit(value)) throw InputError(fmt::format("{} = {}: a power of two is allowed", name, value));
}

}  // namespace

void PcieConfig::visit(ParameterVisitor& v) {
  constexpr auto required = ParameterVisitor::Origin::required;
  v.number({"pcie.generation", "", "", "Generation of the link"}, required, generation, 1, 5);
  v.number({"pcie.lanes", "lanes", "", "Width of the link"}, required, lanes, 1, 16);
  v.size({"pcie.mps", "B", "", "Max payload size of a TLP"}, required, mps, bytes(128), bytes(4096));
  v.size({"pcie.mrrs", "B", "", "Max read request size"}, required, mrrs, bytes(128), bytes(4096));
  v.size({"pcie.rcb", "B", "", "Read completion boundary"}, required, rcb, bytes(64), bytes(128));
  v.size({"pcie.framing", "B", "", "Start token, sequence number and LCRC of a TLP"}, required, framing, bytes(0),
         bytes(16));
  v.size({"pcie.request_header", "B", "", "Header of a memory request"}, required, request_header, bytes(12),
         bytes(32));
  v.size({"pcie.completion_header", "B", "", "Header of a completion"}, required, completion_header, bytes(12),
         bytes(32));
  v.size({"pcie.dllp_size", "B", "", "Size of an ACK or flow-control DLLP", {kDerivedRate}}, required, dllp_size, bytes(0), bytes(16));
  v.number({"pcie.efficiency", "per mille", "", "Raw rate left to TLPs; 0 derives it from the DLLP rate"}, required,
           efficiency, 0, 1000);
  v.number({"pcie.posted_headers", "credits", "", "Posted header credits of the root port; 0 is unlimited"}, required,
           posted_headers, 0, 65535);
  v.number({"pcie.posted_data", "credits", "", "Posted data credits of the root port (16 B); 0 is unlimited"}, required,
           posted_data, 0, 65535);
  v.number({"pcie.nonposted_headers", "credits", "", "Non-posted header credits of the root port; 0 is unlimited"},
           required, nonposted_headers, 0, 65535);
  v.number({"pcie.completion_headers", "credits", "", "Completions the device can buffer; 0 is unlimited"}, required,
           completion_headers, 0, 65535);
  v.number({"pcie.completion_data", "credits", "", "Completion data the device can buffer (16 B); 0 is unlimited"},
           required, completion_data, 0, 65535);
  v.number({"pcie.device_posted_headers", "credits", "", "Posted header credits of the device; 0 is unlimited"},
           required, device_posted_headers, 0, 65535);
  v.number({"pcie.device_posted_data", "credits", "", "Posted data credits of the device (16 B); 0 is unlimited"},
           required, device_posted_data, 0, 65535);
  v.number({"pcie.tags", "requests", "", "Read requests in flight"}, required, tags, 1, 1024);
  v.time({"pcie.upstream_latency", "ns", "", "Device to root port, beyond the TLP's own length"}, required,
         upstream_latency, Time{}, microseconds(100));
  v.time({"pcie.downstream_latency", "ns", "", "Root port to device, beyond the TLP's own length"}, required,
         downstream_latency, Time{}, microseconds(100));
  v.time({"pcie.root_latency", "ns", "", "Between root port and coherent fabric"}, required, root_latency, Time{},
         microseconds(100));
  v.time({"pcie.device_latency", "ns", "", "Turn-around of an MMIO read in the device"}, required, device_latency,
         Time{}, microseconds(100));
  v.time({"pcie.credit_latency", "ns", "", "From free receive buffer to known credit"}, required, credit_latency,
         Time{}, microseconds(100));
  v.time({"pcie.uncached_spacing", "ns", "", "Between two uncached stores of a core"}, required, uncached_spacing,
         Time{}, microseconds(100));
}

void PcieConfig::check() const {
  if (generation < 1 || generation > 5)
    throw InputError(fmt::format("pcie.generation = {}: 1 to 5 are allowed", generation));
  require_power_of_two("pcie.lanes", lanes);
  require_power_of_two("pcie.mps", mps.value);
  require_power_of_two("pcie.mrrs", mrrs.value);
  require_power_of_two("pcie.rcb", rcb.value);
  if (tags == 0) throw InputError("pcie.tags = 0: at least 1 is allowed");
  const std::uint64_t payload = mps.value / kDataCreditBytes;
  if (posted_data != 0 && posted_data < payload)
    throw InputError(
        fmt::format("pcie.posted_data = {}: 0, or at least one payload of pcie.mps ({} credits), is allowed",
                    posted_data, payload));
  const std::uint64_t request = mrrs.value / kDataCreditBytes;
  if (completion_data != 0 && completion_data < request)
    throw InputError(
        fmt::format("pcie.completion_data = {}: 0, or at least one request of pcie.mrrs ({} credits), is allowed",
                    completion_data, request));
  const std::uint64_t completions = mrrs.value / mps.value + 2;
  if (completion_headers != 0 && completion_headers < completions)
    throw InputError(
        fmt::format("pcie.completion_headers = {}: 0, or at least the completions of one request ({}), is allowed",
                    completion_headers, completions));
}

Bandwidth PcieConfig::raw_bandwidth() const {
  static constexpr std::uint64_t kTransfers[] = {2'500, 5'000, 8'000, 16'000, 32'000};  // MT/s and lane
  const std::uint64_t bits = kTransfers[generation - 1] * kMillion * lanes;
  return generation <= 2 ? Bandwidth{bits * 8 / 10} : Bandwidth{bits * 128 / 130};
}

std::uint64_t PcieConfig::dllp_interval() const {
  const bool small = mps <= bytes(256);
  std::uint64_t factor_tenths = 10;
  if (lanes <= 4)
    factor_tenths = small ? 14 : 10;
  else if (lanes <= 8)
    factor_tenths = small ? 25 : 10;
  else
    factor_tenths = small ? 30 : 20;
  const std::uint64_t delay = generation == 1 ? 19 : generation == 2 ? 70 : 115;
  return (mps.value + kTlpOverheadBytes) * factor_tenths / (lanes * 10) + delay;
}

Bandwidth PcieConfig::tlp_bandwidth() const {
  std::uint64_t millionths = efficiency * 1000;
  if (efficiency == 0) {
    const std::uint64_t dllps = 2 * dllp_size.value * kMillion / dllp_interval();  // one ACK and one update each
    millionths = kMillion - dllps - kSkipBytes * kMillion / kSkipInterval;
  }
  return {static_cast<std::uint64_t>(static_cast<unsigned __int128>(raw_bandwidth().value) * millionths / kMillion)};
}

}  // namespace ringside
