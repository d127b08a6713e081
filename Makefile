# lanefix. `make help` lists the targets.
#
# VARIANT names an object folder under build/: release, asan (AddressSanitizer and UBSan), tsan.
# CC, CFLAGS, CPPFLAGS, LDFLAGS are the user's and are appended.

VARIANT ?= release
PREFIX  ?= /usr/local
DESTDIR ?=
BUILD   := build/$(VARIANT)$(if $(filter-out cc gcc,$(notdir $(CC))),-$(notdir $(CC)))

WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
# One set of objects for the program, the static and the shared library: with hidden names -fPIC costs
# nothing where programs are position-independent anyway.
BASE_CFLAGS := -std=c11 -g -fPIC -fvisibility=hidden -pthread $(WARN)
BASE_CPPFLAGS := -Iinclude -Isrc -D_GNU_SOURCE
ifeq ($(VARIANT),asan)
BASE_CFLAGS += -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
BASE_LDFLAGS := -fsanitize=address,undefined
else ifeq ($(VARIANT),tsan)
BASE_CFLAGS += -O1 -fno-omit-frame-pointer -fsanitize=thread
BASE_LDFLAGS := -fsanitize=thread
else
BASE_CFLAGS += -O2
SHARED_LDFLAGS := -Wl,-z,defs
endif

# Without ISA-L, zlib reads and writes gzip: same files, several times slower.
HAVE_ISAL := $(shell printf '\043include <isa-l.h>\n' | $(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 && echo 1)
ifeq ($(HAVE_ISAL),1)
BASE_CPPFLAGS += -DLF_HAVE_ISAL=1
GZIP_LIBS := -lisal
else
GZIP_LIBS := -lz
endif
LIBS := -lzstd $(GZIP_LIBS) -lm

ALL_CFLAGS   = $(BASE_CPPFLAGS) $(CPPFLAGS) $(BASE_CFLAGS) $(CFLAGS)
ALL_LDFLAGS  = -pthread $(BASE_LDFLAGS) $(LDFLAGS)

LIB_SRC  := $(sort $(wildcard src/base/*.c src/par/*.c src/io/*.c src/json/*.c src/trace/*.c \
              src/solve/*.c src/rewrite/*.c src/run/*.c))
CLI_SRC  := $(sort $(wildcard src/cli/*.c))
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
CLI_OBJ  := $(CLI_SRC:%.c=$(BUILD)/%.o)
LIB      := $(BUILD)/liblanefix.a
PROGRAM  := $(BUILD)/lanefix

# The shared library: its real name carries the version, its soname the major number.
version_of = $(shell sed -n 's/^.define LANEFIX_VERSION_$(1) "\{0,1\}\([0-9.]*\)"\{0,1\}$$/\1/p' include/lanefix.h)
VERSION  := $(call version_of,STRING)
SONAME   := liblanefix.so.$(call version_of,MAJOR)
REALNAME := liblanefix.so.$(VERSION)
SHARED   := $(BUILD)/liblanefix.so

# Test programs: Criterion units, and plain programs that print "N passed, N failed" themselves.
ORACLE_SRC := $(sort $(wildcard tests/oracle/*.c))
ORACLE_OBJ := $(ORACLE_SRC:%.c=$(BUILD)/%.o)
UNIT_BIN   := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/unit/test_*.c)))
PLAIN_BIN  := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/prop/*.c tests/thread/*.c tests/fault/*.c)))
FUZZ_BIN   := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
BENCH_BIN  := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard bench/*.c)))

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all help run test test-all test-asan test-tsan test-programs fuzz bench bench-compare \
        check-layers deps install uninstall dist clean

all: $(PROGRAM) $(LIB) $(SHARED)

help:
	@echo 'make              build the program and the library in $(BUILD)/'
	@echo 'make run          install what is missing, build, fix the sample in data/, show the report'
	@echo 'make test         install what is missing, build, run all quick tests'
	@echo 'make test-all     test, with gcc and clang, sanitizers, layers'
	@echo 'make test-asan    the tests under AddressSanitizer and UBSan'
	@echo 'make test-tsan    the thread programs under ThreadSanitizer'
	@echo 'make fuzz         MINUTES=n of every fuzz target (clang)'
	@echo 'make bench        MB=n: time every stage; make bench-compare BASE=<rev>: against a revision'
	@echo 'make check-layers folders include only what stands before them'
	@echo 'make deps         install missing packages'
	@echo 'make install      PREFIX=$(PREFIX) DESTDIR=; make uninstall'
	@echo 'make dist         a source archive in build/'
	@echo 'make clean        remove build/'

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(LIB): $(LIB_OBJ)
	rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/$(REALNAME): $(LIB_OBJ)
	$(CC) -shared -Wl,-soname,$(SONAME) $(SHARED_LDFLAGS) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

$(SHARED): $(BUILD)/$(REALNAME)
	ln -sf $(REALNAME) $(BUILD)/$(SONAME)
	ln -sf $(SONAME) $@

$(PROGRAM): $(CLI_OBJ) $(LIB)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

$(UNIT_BIN): $(BUILD)/%: $(BUILD)/%.o $(ORACLE_OBJ) $(LIB)
	$(CC) $(ALL_LDFLAGS) $^ -lcriterion $(LIBS) -o $@

$(PLAIN_BIN) $(BENCH_BIN): $(BUILD)/%: $(BUILD)/%.o $(ORACLE_OBJ) $(LIB)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

$(FUZZ_BIN): $(BUILD)/%: $(BUILD)/%.o $(BUILD)/tests/fuzz/replay.o $(LIB)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

run: deps
	@$(MAKE) --no-print-directory -s all
	@sh data/run_sample.sh $(PROGRAM)

test: deps
	@$(MAKE) --no-print-directory -s all test-programs
	@sh tests/run.sh $(BUILD) $(KINDS)

test-programs: $(UNIT_BIN) $(PLAIN_BIN) $(FUZZ_BIN)

test-asan:
	@$(MAKE) --no-print-directory test VARIANT=asan

test-tsan:
	@$(MAKE) --no-print-directory -s all $(patsubst %.c,build/tsan/%,$(wildcard tests/thread/*.c)) VARIANT=tsan
	@sh tests/run.sh build/tsan thread

test-all: check-layers test
	@$(MAKE) --no-print-directory test CC=clang
	@$(MAKE) --no-print-directory test-asan
	@$(MAKE) --no-print-directory test-tsan

check-layers:
	@sh tests/check_layers.sh

deps:
	@sh tests/deps.sh

bench: all $(BENCH_BIN)
	@sh bench/run.sh $(BUILD) $(MB)

bench-compare:
	@sh bench/compare.sh "$(BASE)" $(MB)

fuzz:
	@sh tests/fuzz/run.sh $(MINUTES)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include
	install -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/lanefix
	install -m 644 $(LIB) $(DESTDIR)$(PREFIX)/lib/liblanefix.a
	install -m 644 include/lanefix.h $(DESTDIR)$(PREFIX)/include/lanefix.h
	printf '%s\n' 'prefix=$(PREFIX)' 'Name: lanefix' \
	    'Description: rewrite Chrome traces so that Perfetto shows every slice' \
	    "Version: $$(sed -n 's/.*VERSION_STRING "\(.*\)"/\1/p' include/lanefix.h)" \
	    'Cflags: -I$${prefix}/include' 'Libs: -L$${prefix}/lib -llanefix' \
	    'Libs.private: $(LIBS) -pthread' > $(DESTDIR)$(PREFIX)/lib/pkgconfig/lanefix.pc

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/lanefix $(DESTDIR)$(PREFIX)/lib/liblanefix.a \
	    $(DESTDIR)$(PREFIX)/include/lanefix.h $(DESTDIR)$(PREFIX)/lib/pkgconfig/lanefix.pc

dist:
	@mkdir -p build
	git archive --format=tar.gz --prefix=lanefix/ -o build/lanefix.tar.gz HEAD

clean:
	rm -rf build

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
