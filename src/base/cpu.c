/* CPU features, from the compiler's own CPUID wrapper (it also asks whether the OS saves the wide
 * registers). */
#include "base/cpu.h"

struct lf_cpu lf_cpu_features(void)
{
    struct lf_cpu cpu = {false, false};

#if defined(__x86_64__)
    __builtin_cpu_init();
    cpu.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("pclmul") &&
               __builtin_cpu_supports("popcnt");
#elif defined(__aarch64__)
    cpu.neon = true;
#endif
    return cpu;
}
