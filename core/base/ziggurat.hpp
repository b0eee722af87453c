// Standard exponential numbers by the ziggurat (Marsaglia & Tsang 2000): mostly one random word and one product.
// benchmarks/pieces.cpp compares it with -log(u).
//
// The area under exp(−x) is covered by 255 rectangles [0, edge(i)] × [exp(−edge(i)), exp(−edge(i + 1))] and a base with
// the tail beyond edge(1), all of the same area. A point of rectangle i left of edge(i + 1) lies under the curve.
#pragma once
#include "base/math.hpp"
#include "base/rng.hpp"

namespace czz {

class Ziggurat {
    static constexpr int kLayers = 256;
    static constexpr double kTail =
        7.69711747013104972;  // edge(1), for which 256 layers of equal area cover the curve exactly
    static constexpr double kArea = 0.00394965982258157199;
    double edge_[kLayers + 1], height_[kLayers + 1];

  public:
    Ziggurat() {
        edge_[0] = kArea / fast_exp(-kTail);
        edge_[1] = kTail;
        for (int i = 1; i < kLayers - 1; ++i) edge_[i + 1] = -fast_log(fast_exp(-edge_[i]) + kArea / edge_[i]);
        edge_[kLayers] = 0;
        for (int i = 0; i <= kLayers; ++i) height_[i] = fast_exp(-edge_[i]);
    }
    double operator()(Rng& rng) const {
        for (double beyond = 0;;) {
            const u64 word = rng();
            const int i = int(word & (kLayers - 1));  // the bits above give the place within the layer
            const double x = double(word >> 11) * 0x1p-53 * edge_[i];
            if (x < edge_[i + 1]) return beyond + x;
            if (i == 0) beyond += kTail;  // the tail is the whole curve again, shifted
            else if (height_[i] + rng.uniform() * (height_[i + 1] - height_[i]) < fast_exp(-x)) return beyond + x;
        }
    }
};
inline const Ziggurat exponential;

}  // namespace czz
