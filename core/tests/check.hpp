// The checks of the C++ tests: a failed one prints where it stands and ends the program.
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                               \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (false)

// One function per file of tests.
void test_sets();
void test_naturals();
void test_index_table();
void test_walks();
void test_weighted_choice();
void test_row_cache();
void test_class_table();
void test_archive();
void test_subset_scores();
void test_interventional();
