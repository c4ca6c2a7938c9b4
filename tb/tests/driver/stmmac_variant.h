// Makes the driver's variants a matter of run time: included before every source of the natively built stmmac driver.
#pragma once

namespace ringside {
extern int stmmac_test_rx, stmmac_test_fault;
}

#define STMMAC_RX ringside::stmmac_test_rx
#define STMMAC_FAULT ringside::stmmac_test_fault
