# lanefix. `make help` lists the targets.
#
# VARIANT names an object folder under build/: release, asan (AddressSanitizer and UBSan), tsan.
# CC, CFLAGS, CPPFLAGS, LDFLAGS are the user's and are appended. PREFIX, LIBDIR and so on say where things
# will be used, DESTDIR where they are put meanwhile. RUN_DIR: a folder with programs that run here, where
# those that are built do not (their --help makes the completions).

VARIANT ?= release
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
MANDIR  ?= $(PREFIX)/share/man
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
COMPAT   := $(BUILD)/trace-lanefix
RUN_DIR  ?= $(BUILD)
PC       := $(BUILD)/lanefix.pc
MAN      := $(patsubst src/cli/man/%,$(BUILD)/man/%,$(wildcard src/cli/man/*.[13]))
COMPLETIONS := $(foreach s,bash zsh fish,$(BUILD)/completions/lanefix.$(s) $(BUILD)/completions/trace-lanefix.$(s))

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
.PHONY: all help run test test-all test-asan test-tsan test-programs test-cluster fuzz bench \
        bench-compare check-layers deps install uninstall dist deb python clean

all: $(PROGRAM) $(COMPAT) $(LIB) $(SHARED)

help:
	@echo 'make              build the program and the library in $(BUILD)/'
	@echo 'make run          install what is missing, build, fix the sample in data/, show the report'
	@echo 'make test         install what is missing, build, run all quick tests'
	@echo 'make test-all     test, with gcc and clang, sanitizers, layers'
	@echo 'make test-asan    the tests under AddressSanitizer and UBSan'
	@echo 'make test-tsan    the thread programs under ThreadSanitizer'
	@echo 'make test-cluster an array job on a Slurm of its own, on this machine'
	@echo 'make fuzz         MINUTES=n of every fuzz target (clang)'
	@echo 'make bench        MB=n: time every stage; make bench-compare BASE=<rev>: against a revision'
	@echo 'make check-layers folders include only what stands before them'
	@echo 'make deps         install missing packages'
	@echo 'make install      PREFIX=$(PREFIX) LIBDIR= MANDIR= DESTDIR=: programs, library, manual, completions'
	@echo 'make uninstall    remove just that'
	@echo 'make dist         a source archive in build/'
	@echo 'make deb          Debian packages in build/deb/'
	@echo 'make python       the Python package'
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

# Both programs link what stands in src/cli beside their main.
$(PROGRAM): $(filter-out $(BUILD)/src/cli/trace_lanefix.o,$(CLI_OBJ)) $(LIB)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

$(COMPAT): $(filter-out $(BUILD)/src/cli/main.o,$(CLI_OBJ)) $(LIB)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

$(BUILD)/man/%: src/cli/man/% src/cli/man/fill.sh include/lanefix.h README.md
	@mkdir -p $(@D)
	sh src/cli/man/fill.sh $< > $@

# $(1): a shell
define completions_for
$(BUILD)/completions/%.$(1): $(BUILD)/% src/cli/completions/make.sh
	@mkdir -p $$(@D)
	$$(RUN_DIR)/$$* --help | sh src/cli/completions/make.sh $(1) $$* > $$@
endef
$(foreach s,bash zsh fish,$(eval $(call completions_for,$(s))))

# Written anew each time, as it holds the folders that make was called with.
.PHONY: $(PC)
$(PC):
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' \
	    'libdir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))' '' 'Name: lanefix' \
	    'Description: rewrite Chrome traces so that Perfetto shows every slice' \
	    'Version: $(VERSION)' 'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -llanefix' \
	    'Libs.private: $(LIBS) -pthread' > $@

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

# What is installed: from, to, mode; "->" makes a link. uninstall walks the same list.
SHARE := $(PREFIX)/share
INSTALLED := \
    $(PROGRAM):$(PREFIX)/bin/lanefix:755 \
    $(COMPAT):$(PREFIX)/bin/trace-lanefix:755 \
    include/lanefix.h:$(PREFIX)/include/lanefix.h:644 \
    $(LIB):$(LIBDIR)/liblanefix.a:644 \
    $(BUILD)/$(REALNAME):$(LIBDIR)/$(REALNAME):644 \
    $(REALNAME):$(LIBDIR)/$(SONAME):link \
    $(SONAME):$(LIBDIR)/liblanefix.so:link \
    $(PC):$(LIBDIR)/pkgconfig/lanefix.pc:644 \
    $(foreach m,$(MAN),$(m):$(MANDIR)/man$(patsubst .%,%,$(suffix $(m)))/$(notdir $(m)):644) \
    $(foreach p,lanefix trace-lanefix, \
        $(BUILD)/completions/$(p).bash:$(SHARE)/bash-completion/completions/$(p):644 \
        $(BUILD)/completions/$(p).zsh:$(SHARE)/zsh/site-functions/_$(p):644 \
        $(BUILD)/completions/$(p).fish:$(SHARE)/fish/vendor_completions.d/$(p).fish:644)

# Straight into the system, the loader is told of the shared library, where that is allowed.
install: all $(PC) $(MAN) $(COMPLETIONS)
	@for entry in $(INSTALLED); do \
	    from=$${entry%%:*}; mode=$${entry##*:}; to=$${entry#*:}; to='$(DESTDIR)'$${to%:*}; \
	    install -d "$${to%/*}" || exit 1; \
	    if [ "$$mode" = link ]; then ln -sf "$$from" "$$to"; \
	    else install -m "$$mode" "$$from" "$$to"; fi || exit 1; \
	    echo "$$to"; \
	done
	@[ -n '$(DESTDIR)' ] || ldconfig 2>/dev/null || true

uninstall:
	@for entry in $(INSTALLED); do \
	    to=$${entry#*:}; rm -f '$(DESTDIR)'"$${to%:*}" || exit 1; \
	done
	@[ -n '$(DESTDIR)' ] || ldconfig 2>/dev/null || true

# From the commit where there is a repository, else from the files as they are (a source archive).
SOURCES := Makefile README.md LICENSE CHANGELOG.md include src tests bench data
DIST    := lanefix-$(VERSION)

dist:
	@mkdir -p build
	@if [ -e .git ]; then \
	    git archive --format=tar.gz --prefix=$(DIST)/ -o build/$(DIST).tar.gz HEAD; \
	else \
	    tar -czf build/$(DIST).tar.gz --exclude=bench/results --exclude='*.fixed.json' --transform 's,^,$(DIST)/,' $(SOURCES); \
	fi
	@echo build/$(DIST).tar.gz

deb:
	@sh data/debian/build.sh $(VERSION) $(SOURCES)

python: all
	@sh src/python/build.sh

test-cluster: all
	@sh tests/cluster/run.sh

clean:
	rm -rf build

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
