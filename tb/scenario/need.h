// What a parameter needs to have any effect, for people and for a check.
#pragma once

#include <string>

#include "tb/scenario/parameter_set.h"

namespace ringside {

// Whether one of the two states is there. States of parameters that are not in the set count as there.
bool met(const Need& need, const ParameterSet& parameters);

// `driver.name = "stmmac"`, `driver.xdp other than "drop" or "tx"`, `a traffic.pcap`, `no traffic.pcap`; two with ", or".
std::string to_text(const Need& need);

// All needs of a parameter, with "; " between them; empty if it always has an effect.
std::string needs_text(const Setting& setting);

// Throws InputError for a value that a scenario or the command line gives and that can have no effect. What only a later
// layer takes the effect from is no mistake: a scenario may set the rate that an override with a capture makes idle.
void check_needs(const ParameterSet& parameters);

}  // namespace ringside
