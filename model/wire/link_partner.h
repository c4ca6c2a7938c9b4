// What a MAC can ask of the station at the other end of its cable.
#pragma once

#include <cstdint>

#include "model/base/units.h"

namespace ringside {

class LinkPartner {
 public:
  // A PAUSE frame has arrived there (IEEE 802.3, annex 31B): it sends no frame for `quanta` of 512 bit times from `now`
  // on, once the one under way has ended; 0 lets it go on.
  virtual void pause(Time now, std::uint32_t quanta) = 0;

 protected:
  ~LinkPartner() = default;
};

}  // namespace ringside
