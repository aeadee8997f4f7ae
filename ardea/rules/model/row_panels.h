#pragma once

#include "ardea/rules/model/product_sizes.h"
#include "ardea/support/data_type.h"
#include "ardea/target/target.h"

/// How many rows of a chain of two products are made at a time.

namespace ardea::rules {

/// A panel has groups × rows rows. Of the first product vectors go along the rows of a panel, beside
/// `first_columns` of its columns; of the last one a tile is `rows` of them by `columns`.
struct RowPanels {
  std::int64_t groups = 1, rows = 1, columns = 1, first_columns = 1;
  std::int64_t panel() const { return groups * rows; }
};

/// Of the second cache a panel of rows may take so much.
std::int64_t bytes_of_row_panel(const target::Target& target);

/// The panels whose tiles of sums, smaller ones at the edges included, take the fewest cycles in both
/// products, of those that stay in a cache: first m × n sums of k products, then m × n' of n.
RowPanels choose_row_panels(const ProductSizes& first, const ProductSizes& last, DataType type,
                            const target::Target& target);

/// How often the rows between two products are read and written where each stage goes through all of them.
struct RowPasses {
  std::int64_t reads = 1, writes = 1;
};

/// Whether a chain takes no longer by such panels than stage by stage. Past every panel go both right
/// operands, and where the second cache does not hold these, it waits for them (1024,2048,1024,3072 by panels
/// of 48 rows: 1.5 times as long on a Sapphire Rapids). Stage by stage it is the rows between that go to and
/// fro.
bool panels_pay(const RowPanels& panels, const ProductSizes& first, const ProductSizes& last,
                const RowPasses& passes, DataType type, const target::Target& target);

}  // namespace ardea::rules
