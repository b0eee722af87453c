// Tests of the data structures of the core that Python cannot reach one by one; each is compared with a plain
// counterpart of the standard library, on random cases with fixed seeds.
#include "tests/check.hpp"

int main() {
    test_sets();
    test_naturals();
    test_index_table();
    test_walks();
    test_weighted_choice();
    test_row_cache();
    test_class_table();
    test_archive();
    test_subset_scores();
    test_interventional();
    std::puts("all tests of the core's data structures passed");
}
