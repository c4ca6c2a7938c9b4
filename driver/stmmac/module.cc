// Entry of an image with this driver.
#include "driver/stmmac/stmmac.h"

void module_init(const board_info& board) { publish_statistics(stmmac_stats(stmmac_dvr_probe(board))); }
