#include "tb/scenario/scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "model/base/errors.h"
#include "tb/scenario/data_dir.h"
#include "tb/scenario/nearest.h"
#include "tb/scenario/need.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

std::string one_of(const std::vector<std::string>& names) {
  return names.empty() ? "none is installed" : fmt::format("one of {} is allowed", fmt::join(names, ", "));
}

// The value that the layers give to a text parameter, and where.
struct Selected {
  std::string value;
  std::string place;
};

Selected selected_name(const DataFileRule& rule, const ParameterSet& defaults, const std::vector<RawValues>& layers) {
  if (rule.selector.empty()) return {rule.area, rule.folder};
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const auto at = layer->find(rule.selector);
    if (at == layer->end()) continue;
    const auto* text = std::get_if<std::string>(&at->second.value);
    if (text == nullptr) {
      throw InputError(fmt::format("{}: {} is {}; a string is allowed", at->second.place.error_text, rule.selector,
                                   describe(at->second)));
    }
    return {*text, at->second.place.error_text};
  }
  const auto* setting = defaults.find(rule.selector);
  return {setting == nullptr ? "" : to_text(setting->value), rule.selector + " (default)"};
}

bool needs_file(const DataFileRule& rule, const ParameterSet& parameters) {
  const auto& all = parameters.all();
  return std::any_of(all.begin(), all.end(),
                     [&](const Setting& s) { return s.required && s.name.starts_with(rule.area + "."); });
}

struct DataFile {
  std::string area;
  fs::path path;
};

// Reads the data file that a rule selects.
RawValues read_data_file(const DataFileRule& rule, const Selected& selected, const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    const auto names = toml_names(path.parent_path());
    throw InputError(fmt::format("{}: {} \"{}\" has no data file {}; {}{}", selected.place,
                                 rule.selector.empty() ? rule.area : rule.selector, selected.value, path.string(),
                                 one_of(names), did_you_mean(selected.value, names)));
  }
  return read_toml_file(path, fmt::format("{}/{}", rule.folder, path.filename().string()), Layer::data_file).values;
}

fs::path find_scenario(const std::string& argument, const fs::path& data) {
  std::error_code error;
  if (fs::is_regular_file(argument, error)) return argument;
  const auto named = data / "scenarios" / (argument.ends_with(".toml") ? argument : argument + ".toml");
  if (fs::is_regular_file(named, error)) return named;
  const auto names = toml_names(data / "scenarios");
  throw InputError(fmt::format("{}: no such file; an existing TOML file or {}{}", argument, one_of(names),
                               did_you_mean(fs::path(argument).stem().string(), names)));
}

void check_power_of_two(const ParameterSet& settings, std::string_view name, std::uint64_t value) {
  if (std::has_single_bit(value)) return;
  throw InputError(fmt::format("{}: {} is {}; a power of two is allowed, such as {}", settings.place_of(name), name, value,
                               std::bit_floor(value)));
}

// What stmmac refuses, and what the core and its registers cannot do.
void check_stmmac(const Scenario& scenario) {
  constexpr std::uint64_t kLeastRing = 64, kMostRing = 1024, kMostMtu = 9000;
  const DriverConfig& driver = scenario.driver;
  if (driver.name != "stmmac") return;
  const auto limit = [&](std::string_view name, std::uint64_t value, std::uint64_t low, std::uint64_t high, const std::string& why) {
    if (value >= low && value <= high) return;
    throw InputError(fmt::format("{}: {} is {}; {} to {} is allowed {}", scenario.settings.place_of(name), name, value, low, high, why));
  };
  check_power_of_two(scenario.settings, "driver.tx_ring", driver.tx_ring);
  limit("driver.rx_ring", driver.rx_ring, kLeastRing, kMostRing, "with driver.name \"stmmac\"");
  limit("driver.mtu", driver.mtu, 68, kMostMtu, "with driver.name \"stmmac\"");
  limit("driver.rx_queues", driver.rx_queues, 1, scenario.dwmac.rx_channels, "with dwmac.rx_channels");
  if (driver.rx_split_header && driver.xdp != "none" && !driver.xdp.empty()) {
    throw InputError(fmt::format("{}: driver.rx_split_header: headers stay with their payload for XDP programs; driver.xdp = "
                                 "\"none\" is required",
                                 scenario.settings.place_of("driver.rx_split_header")));
  }
}

// An image that the user brings has programs of its own, and tells itself when it lacks one.
void check_xdp_program(const Scenario& scenario) {
  const auto& name = scenario.driver.xdp;
  const auto names = xdp_programs();
  if (!scenario.driver.image.empty() || name.empty()) return;
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw InputError(fmt::format("{}: driver.xdp is \"{}\"; one of {}, or nothing, is allowed{}",
                                 scenario.settings.place_of("driver.xdp"), name, fmt::join(names, ", "),
                                 did_you_mean(name, names)));
  }
  if (name == "redirect" && scenario.driver.name == "stmmac") {
    throw InputError(fmt::format("{}: driver.xdp is \"redirect\", which needs another port; driver.name \"stmmac\" has one, and "
                                 "\"redirect-same\"",
                                 scenario.settings.place_of("driver.xdp")));
  }
  if (scenario.driver.name == "stmmac" && name != "none" && scenario.driver.mtu > kStmmacXdpMtu) {
    throw InputError(fmt::format("{}: driver.mtu is {}; at most {} is allowed with a program and driver.name \"stmmac\"",
                                 scenario.settings.place_of("driver.mtu"), scenario.driver.mtu, kStmmacXdpMtu));
  }
  if (wants_one_buffer(name) && scenario.driver.mtu > kOneBufferMtu) {
    throw InputError(fmt::format("{}: driver.mtu is {}; at most {} is allowed for driver.xdp \"{}\", which wants every packet "
                                 "in one buffer",
                                 scenario.settings.place_of("driver.mtu"), scenario.driver.mtu, kOneBufferMtu, name));
  }
}

void check_traffic(const Scenario& scenario) {
  if (const auto wrong = scenario.traffic.contradiction()) {
    throw InputError(fmt::format("{}: {}", scenario.settings.place_of(wrong->parameter), wrong->message));
  }
}

// TCP needs both ends, or nothing moves.
void check_tcp(const Scenario& scenario) {
  constexpr std::uint64_t kMostFlows = 64;
  const auto refuse = [&](std::string_view name, const std::string& message) {
    throw InputError(fmt::format("{}: {}: {}", scenario.settings.place_of(name), name, message));
  };
  if (!scenario.driver.image.empty()) return;
  const bool sockets = scenario.driver.stack == "tcp";
  if (scenario.traffic.pattern != "tcp") return;
  if (!sockets) refuse("traffic.pattern", "\"tcp\" has nobody to talk to; driver.stack = \"tcp\" is required");
  if (takes_every_packet(scenario.driver.xdp)) {
    refuse("driver.xdp", fmt::format("\"{}\" keeps every packet from TCP; \"none\" and \"pass\" are allowed", scenario.driver.xdp));
  }
  if (scenario.traffic.flows > kMostFlows) refuse("traffic.flows", fmt::format("{} TCP connections; at most {} are allowed", scenario.traffic.flows, kMostFlows));
}

void check_cpus(const Scenario& scenario) {
  const std::uint64_t cpu = scenario.driver.reader_cpu, cores = scenario.platform.cores;
  if (cpu < cores) return;
  throw InputError(fmt::format("{}: driver.reader_cpu: there is no CPU {}; with cpu.cores = {}, 0{} is allowed",
                               scenario.settings.place_of("driver.reader_cpu"), cpu, cores,
                               cores == 1 ? "" : fmt::format(" to {}", cores - 1)));
}

// The interrupt watchdog of a Synopsys core counts 256 periods of its register clock, 16 to 255 of them in Linux.
void check_watchdog(const Scenario& scenario) {
  const std::uint64_t us = scenario.driver.rx_usecs;
  const std::uint64_t khz = scenario.dwmac.csr_clock.value;
  const std::uint64_t steps = us * khz / 256'000;
  if (scenario.driver.name != "stmmac" || us == 0 || (steps >= 16 && steps <= 255)) return;
  throw InputError(fmt::format("{}: driver.rx_usecs is {}; 0, for the default, or {} to {} us are allowed with dwmac.csr_clock",
                               scenario.settings.place_of("driver.rx_usecs"), us, (16 * 256'000 + khz - 1) / khz,
                               (256 * 256'000 - 1) / khz));
}

}  // namespace

void Scenario::visit(ParameterVisitor& v) {
  run.visit(v);
  driver.visit(v);
  platform.visit(v);
  residual.visit(v);
  wire.visit(v);
  traffic.visit(v);
  cpu.visit(v);
  memory.visit(v);
  v.only_with(kOnMlx5e, [&] { pcie.visit(v); });
  v.only_with(kOnMlx5e, [&] { nic.visit(v); });
  v.only_with(kOnStmmac, [&] { axi.visit(v); });
  v.only_with(kOnStmmac, [&] { dwmac.visit(v); });
}

bool Scenario::on_board(const Setting& setting) const {
  return std::all_of(setting.needs.begin(), setting.needs.end(),
                     [this](const Need& need) { return need.state.parameter != "driver.name" || met(need, settings); });
}

std::filesystem::path Scenario::file_of(std::string_view parameter) const {
  const auto* setting = settings.find(parameter);
  if (setting == nullptr) throw InputError(fmt::format("{}: no such parameter; those of `ringside params` are allowed", parameter));
  const fs::path named = to_text(setting->value);
  const auto base = setting->layer == Layer::command_line ? fs::path() : folder;
  std::error_code error;
  for (const auto& path : {base / named, data / named}) {
    if (fs::is_regular_file(path, error)) return path;
  }
  throw InputError(fmt::format("{}: {} \"{}\" does not exist; a file relative to {} or {} is allowed",
                               settings.place_of(parameter), parameter, named.string(),
                               base.empty() ? "the working directory" : base.string(), data.string()));
}

const std::vector<DataFileRule>& data_files() {
  static const std::vector<DataFileRule> rules{{"driver", "drivers", "driver.name"},
                                               {"cpu", "hardware/cpu", "cpu.model"},
                                               {"memory", "hardware/memory", "cpu.model"},
                                               {"residual", "hardware/platform", "platform.name"},
                                               {"nic", "hardware/nic", "nic.model"},
                                               {"pcie", "hardware/pcie", ""},
                                               {"dwmac", "hardware/dwmac", "dwmac.model"},
                                               {"axi", "hardware/axi", ""}};
  return rules;
}

ParameterSet load_parameters(const VisitAll& visit, const std::vector<DataFileRule>& rules, const std::filesystem::path& data,
                             const TomlFile& scenario, const std::vector<std::string>& overrides) {
  RawValues from_command_line;
  for (const auto& assignment : overrides) {
    auto [key, raw] = read_override(assignment);
    from_command_line.insert_or_assign(key, std::move(raw));
  }
  std::vector<RawValues> layers{scenario.values, from_command_line};
  const auto parameters = list_parameters(visit);
  std::vector<RawValues> with_hardware;
  std::vector<DataFile> files;
  for (const auto& rule : rules) {
    if (!needs_file(rule, parameters)) continue;
    const auto selected = selected_name(rule, parameters, layers);
    files.push_back({rule.area, data / rule.folder / (selected.value + ".toml")});
    with_hardware.push_back(read_data_file(rule, selected, files.back().path));
  }
  with_hardware.insert(with_hardware.end(), layers.begin(), layers.end());
  const auto missing_place = [&](std::string_view name) {
    for (const auto& file : files) {
      if (name.starts_with(file.area + ".")) return file.path.string();
    }
    return std::string(name);
  };
  return apply_values(visit, with_hardware, missing_place);
}

Scenario load_scenario(const std::string& argument, const std::vector<std::string>& overrides,
                       const std::filesystem::path& data) {
  Scenario scenario;
  TomlFile file;
  scenario.name = "default";
  scenario.data = data;
  if (!argument.empty()) {
    const auto path = find_scenario(argument, data);
    file = read_toml_file(path, path.filename().string(), Layer::scenario);
    scenario.name = path.stem().string();
    scenario.description = file.description;
    scenario.folder = path.parent_path();
  }
  scenario.settings = load_parameters([&](ParameterVisitor& v) { scenario.visit(v); }, data_files(), data, file, overrides);
  check_power_of_two(scenario.settings, "driver.rx_ring", scenario.driver.rx_ring);
  check_needs(scenario.settings);
  check_watchdog(scenario);
  check_stmmac(scenario);
  check_xdp_program(scenario);
  check_traffic(scenario);
  check_tcp(scenario);
  check_cpus(scenario);
  try {
    scenario.pcie.check();
  } catch (const InputError& refused) {
    throw InputError(scenario.settings.placed(refused.what()));
  }
  if (!scenario.traffic.pcap.empty()) scenario.traffic.pcap = scenario.file_of("traffic.pcap").string();
  return scenario;
}

}  // namespace ringside
