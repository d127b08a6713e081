#!/bin/sh
# Every fuzz target for so many minutes, with clang's libFuzzer, AddressSanitizer and UBSan. New inputs go to
# build/fuzz/<target>/; a fault is left there too.
cd "$(dirname "$0")/../.." || exit 2
minutes=${1:-1}
mkdir -p build/fuzz
failed=0
passed=0
for source in tests/fuzz/fuzz_*.c; do
    target=$(basename "$source" .c)
    kind=${target#fuzz_}
    mkdir -p "build/fuzz/$target" "tests/fuzz/corpus/$kind"
    isal=
    printf '#include <isa-l.h>\n' | clang -E - >/dev/null 2>&1 && isal="-DLF_HAVE_ISAL=1 -lisal"
    # shellcheck disable=SC2086
    clang -std=c11 -g -O1 -D_GNU_SOURCE -Iinclude -Isrc -fsanitize=fuzzer,address,undefined \
        -fno-sanitize-recover=undefined -pthread "$source" src/base/*.c src/par/*.c src/io/*.c src/json/*.c \
        src/trace/*.c src/solve/*.c src/rewrite/*.c src/run/*.c -lzstd -lz $isal -lm -o "build/fuzz/$target/$target" || exit 2
    if (cd "build/fuzz/$target" && "./$target" -max_total_time=$((minutes * 60)) -timeout=60 -max_len=65536 -rss_limit_mb=4096 \
            -print_final_stats=1 . "../../../tests/fuzz/corpus/$kind" >log 2>&1); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1)); tail -n 40 "build/fuzz/$target/log"
    fi
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: */executions /p' "build/fuzz/$target/log"), $(grep -o 'cov: [0-9]*' "build/fuzz/$target/log" | tail -n 1)"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
