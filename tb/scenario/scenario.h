// A scenario: everything that one run is made of, resolved and checked.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/connectx/config.h"
#include "model/core/config.h"
#include "model/dwmac/config.h"
#include "model/fabric/axi_config.h"
#include "model/fabric/pcie_config.h"
#include "model/memory/config.h"
#include "model/wire/ethernet_wire.h"
#include "model/wire/traffic.h"
#include "tb/scenario/config.h"
#include "tb/scenario/parameter_set.h"

namespace ringside {

struct Scenario {
  // One line per configuration here and in visit().
  RunConfig run;
  DriverConfig driver;
  PlatformConfig platform;
  ResidualConfig residual;
  WireConfig wire;
  TrafficConfig traffic;
  CoreConfig cpu;
  MemoryConfig memory;
  PcieConfig pcie;
  ConnectxConfig nic;
  AxiConfig axi;
  DwmacConfig dwmac;

  std::string name;                  // file name without ".toml"
  std::string description;           // of the file
  std::filesystem::path folder;      // of the file; relative paths in it start here
  std::filesystem::path data;        // Ringside's data directory
  std::filesystem::path image;       // the guest image that runs, built or given
  std::filesystem::path event_log;   // written by the run; empty for none
  ParameterSet settings;             // effective values with their provenance

  void visit(ParameterVisitor& v);

  // Whether the board of this scenario's driver has what the parameter belongs to.
  bool on_board(const Setting& setting) const;

  // An existing file that a parameter names: relative to the working directory when the command line gave it, else to the
  // scenario's folder, then to the data directory. Throws InputError naming the parameter's place.
  std::filesystem::path file_of(std::string_view parameter) const;
};

// Which data file holds the required parameters whose names start with "<area>.".
struct DataFileRule {
  std::string area;
  std::string folder;    // below the data directory
  std::string selector;  // parameter whose value names the file; empty: the file is called as the area
};
const std::vector<DataFileRule>& data_files();

// Loads the layers default, hardware data files, scenario file and overrides ("key=value") into whatever `visit` visits.
// `scenario` may be empty. Throws InputError.
ParameterSet load_parameters(const VisitAll& visit, const std::vector<DataFileRule>& rules, const std::filesystem::path& data,
                             const TomlFile& scenario, const std::vector<std::string>& overrides);

// `argument` is a path, or the bare name of a file in the data directory's scenarios; empty stands for all defaults.
Scenario load_scenario(const std::string& argument, const std::vector<std::string>& overrides,
                       const std::filesystem::path& data);

}  // namespace ringside
