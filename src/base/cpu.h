/* What the CPU can do, asked once by whoever dispatches. */
#ifndef LF_BASE_CPU_H
#define LF_BASE_CPU_H

#include <stdbool.h>

struct lf_cpu {
    bool avx2;   /* and BMI1, BMI2, PCLMUL, POPCNT */
    bool neon;
};

struct lf_cpu lf_cpu_features(void);

#endif
