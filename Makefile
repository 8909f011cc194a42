# One Makefile, no configure step; doc/decisions/001-make.md says why.
#?
#?  make                  the program, at build/trackway
#?  make test             all tests
#?  make lint             checks the rules of this project (tools/lint)
#?  make fuzz             fuzzes all targets, or FUZZ_TARGETS="json canon", FUZZ_SECONDS=300 each, two at a time
#?  make bench            speed, compared with other programs
#?  make demo             a short tour with shipped examples
#?  make crash            STATES=1000000 simulated crashes of the ledger, then each sync removed in turn
#?  make nightly          the tests that take hours: all sets of all suites, long fuzzing, crash, es6 (.ci/nightly)
#?  make es6              ten million numbers of the ECMAScript sequence against the published hash
#?  make cross-arm64      the JSON tests, built for arm64 and run under qemu
#?  make MODE=tsan unit   the thread tests under ThreadSanitizer
#?  make install          PREFIX=/usr/local DESTDIR= (and make uninstall)
#?  make clean            removes the build directory
#?
#?  MODE=asan             AddressSanitizer and UBSan, in build/asan; MODE=clang compiles with clang
#?  CC=clang              another compiler; CFLAGS= and LDFLAGS= are added to ours
#?  B=DIR                 another build directory
#?  V=1                   shows the commands
#?
MODE ?= release
PREFIX ?= /usr/local
CC := $(if $(filter default,$(origin CC)),$(if $(filter clang fuzz,$(MODE)),clang,gcc),$(CC))
B := build$(if $(filter-out release,$(MODE)),/$(MODE))
Q := $(if $(V),,@)

comma := ,
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all

# llhttp comes as sources and a header, without pkg-config.
LLHTTP := /usr/share

# Flags, the same for everything but the sanitizers of a mode.
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wcast-qual -Wpointer-arith -Wwrite-strings -Wundef -Wformat=2 -Werror
SANITIZE_asan := -fsanitize=address,undefined
SANITIZE_tsan := -fsanitize=thread
SANITIZE_fuzz := -fsanitize=fuzzer-no-link,address,undefined
SANITIZE := $(SANITIZE_$(MODE))
OPTIMIZE := $(if $(SANITIZE),-O1 -g -fno-sanitize-recover=all -fno-omit-frame-pointer,-O2 -g -DNDEBUG)
CPPFLAGS_ALL := -Isrc -Iinclude -isystem $(LLHTTP)/include -D_GNU_SOURCE $(CPPFLAGS)
CFLAGS_ALL := -std=c17 $(WARN) $(OPTIMIZE) $(SANITIZE) -pthread $(CFLAGS)
LDFLAGS_ALL := $(SANITIZE) -pthread $(LDFLAGS)

# pkg-config is called at the first use, not when this file is read: tools/setup may have to install it first.
# Its answer then replaces the call.
LIBS = $(eval LIBS := $(shell pkg-config --libs libuv libssl libcrypto zlib libzstd sqlite3 libpq libpcre2-8) \
	$(patsubst -lhs,-lhs_runtime,$(shell pkg-config --libs libhs)) -lm)$(LIBS)

# Each SIMD variant is its own file, built for its instruction set; the rest runs anywhere.
ISA_scan_avx2 := -mavx2 -mbmi -mbmi2 -mlzcnt -mpclmul -mpopcnt
ISA_scan_avx512 := $(ISA_scan_avx2) -mavx512f -mavx512bw -mavx512vl -mavx512vbmi -mavx512vbmi2
# A compiler that tools/setup has yet to install is assumed to compile for this machine.
MARCH := $(or $(shell $(CC) -dumpmachine 2>/dev/null | cut -d- -f1),$(shell uname -m))
VARIANTS_x86_64 := scan_avx2 scan_avx512
VARIANTS_aarch64 := scan_neon
OTHER_VARIANTS := $(filter-out $(VARIANTS_$(MARCH)),scan_avx2 scan_avx512 scan_neon)

# Only flow/ has threads for ThreadSanitizer to watch. There are no libraries for arm64, so only code that
# needs none is built: the JSON room, to test NEON.
ROOMS_arm64 := base json
TESTED_tsan := flow
TESTED_arm64 := json
LINKED_arm64 := base/crypto/ed25519 base/crypto/hmac base/crypto/sha256 base/crypto/merkle base/crypto/secret
LINKED := $(LINKED_$(MODE))

SRC := $(filter-out src/cmd/main.c src/cmd/shim.c $(OTHER_VARIANTS:%=src/json/%.c) $(LINKED:%=src/%.c), \
	$(wildcard $(foreach r,$(or $(ROOMS_$(MODE)),*),src/$r/*.c src/$r/*/*.c)))
SECRET_DB := $(if $(filter base/crypto/secret,$(LINKED)),,$(B)/obj/secret_db.o)
PRICES := $(if $(ROOMS_$(MODE)),,$(B)/obj/prices.o)
SUITES_C := $(if $(ROOMS_$(MODE)),,$(B)/obj/suites.o)
BONDS_C := $(if $(ROOMS_$(MODE)),,$(B)/obj/bonds_table.o)
PARSER := $(if $(ROOMS_$(MODE)),,$(patsubst %,$(B)/obj/llhttp/%.o,api http llhttp))
SHIM := $(if $(ROOMS_$(MODE)),,$(B)/obj/shim_bytes.o)
PARTS := $(SRC:%.c=$(B)/obj/%.o) $(SECRET_DB) $(PRICES) $(SUITES_C) $(BONDS_C) $(PARSER)
OBJ := $(PARTS) $(SHIM)
LIB := $(B)/libtrackway.a
INSTALLED := $(B)/install/libtrackway.a $(B)/install/trackway.pc

# A room's tests, whatever the number of files and directories, are one program: tests/harness/test.h.
UNIT_SRC := $(wildcard $(foreach r,$(or $(TESTED_$(MODE)),*),tests/unit/$r/*.c tests/unit/$r/*/*.c))
# json/put.h writes digests, so it needs the code that makes them.
UNIT_SRC := $(if $(LINKED),$(shell grep -L $(patsubst %,-e %.h,$(LINKED) json/put) $(UNIT_SRC)),$(UNIT_SRC))
UNIT_ROOMS := $(sort $(foreach s,$(UNIT_SRC),$(word 3,$(subst /, ,$s))))
UNIT := $(UNIT_ROOMS:%=$(B)/unit/%)
FAULT_SRC := $(wildcard tests/fault/*.c)
DRIVES := $(patsubst tests/%.c,$(B)/%,$(wildcard tests/integration/*/drive.c))
TARGETS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_TARGETS ?= $(TARGETS)

# These were once directories of many programs; an old directory must not be taken for the program.
OLD := $(wildcard $(addsuffix /.,$(UNIT) $(B)/fault $(B)/replay))
$(if $(OLD),$(shell rm -rf $(OLD:/.=)))

.PHONY: all test-programs fuzz-programs drives
all: $(B)/trackway $(INSTALLED)
test-programs: $(B)/trackway $(UNIT) $(B)/fault $(B)/replay
fuzz-programs: $(FUZZ_TARGETS:%=$(B)/fuzz_%)
drives: $(DRIVES)

# Missing packages are installed first; a stamp for each group skips that from then on.
$(B)/.setup/%: tools/setup
	@CC='$(CC)' tools/setup $*
	@mkdir -p $(@D) && touch $@
$(addprefix $(B)/.setup/,test integration lint fuzz bench demo ci): | $(B)/.setup/build

# Files whose text is $(1), touched only when that changes. So objects of other flags, other files or another
# commit are built again.
remember = @mkdir -p $(@D) && printf '%s\n' '$(1)' | cmp -s - $@ || printf '%s\n' '$(1)' >$@
COMMIT := $(shell GIT_OPTIONAL_LOCKS=0 git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null)
$(B)/.flags: FORCE | $(B)/.setup/build
	$(call remember,$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(LIBS) $(ISA_scan_avx512))
$(B)/.objects: FORCE
	$(call remember,$(OBJ))
$(B)/.tests: FORCE
	$(call remember,$(UNIT_SRC) $(FAULT_SRC) $(TARGETS))
$(B)/.commit: FORCE
	$(call remember,$(COMMIT))
.PHONY: FORCE

$(B)/obj/%.o: %.c $(B)/.flags
	@mkdir -p $(@D)
	$(if $(Q),@echo '  CC      $<')
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(ISA_$(basename $(notdir $<))) -MMD -MP -c -o $@ $<
# private: these must not reach the stamps, which would then change from one object to the next.
$(B)/obj/tests/%.o: private CPPFLAGS_ALL += -Itests
$(B)/obj/tests/fuzz/%.o: private CPPFLAGS_ALL += $(if $(filter fuzz,$(MODE)),,-DREPLAY)
$(B)/obj/src/base/build.o: $(B)/.commit
$(B)/obj/src/base/build.o: private CPPFLAGS_ALL += -DTRACKWAY_COMMIT='"$(COMMIT)"' \
	-DTRACKWAY_CFLAGS='"$(strip $(OPTIMIZE) $(SANITIZE) $(CFLAGS))"'

# The shapes of keys are compiled here, not when the program runs: doc/decisions/005-secrets.md.
$(B)/gen-secrets: $(B)/obj/tools/gen-secrets.o $(B)/obj/src/base/crypto/secret_rules.o
	$(if $(Q),@echo '  LINK    $@')
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $$(pkg-config --libs libhs)
$(B)/secret_db.c: $(B)/gen-secrets
	$(if $(Q),@echo '  GEN     $@')
	$(Q)$< >$@
$(B)/obj/secret_db.o: $(B)/secret_db.c
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

$(B)/prices.c: src/transform/prices.tsv tools/gen-prices
	$(if $(Q),@echo '  GEN     $@')
	@mkdir -p $(@D)
	$(Q)tools/gen-prices $< >$@
$(B)/obj/prices.o: $(B)/prices.c $(B)/.flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

$(B)/bonds_table.c: src/trial/classify/bonds.tsv tools/gen-bonds
	$(if $(Q),@echo '  GEN     $@')
	@mkdir -p $(@D)
	$(Q)tools/gen-bonds $< >$@
$(B)/obj/bonds_table.o: $(B)/bonds_table.c $(B)/.flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

# The order of the names here is the order in which the program lists them.
SHIPPED := $(patsubst %,src/bench/suites/%.json,sanity instructions tools)
$(B)/suites.c: $(SHIPPED) tools/gen-suites
	$(if $(Q),@echo '  GEN     $@')
	@mkdir -p $(@D)
	$(Q)tools/gen-suites $(SHIPPED) >$@
$(B)/obj/suites.o: $(B)/suites.c $(B)/.flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

# Not our code, so built without our warnings. The source is not a prerequisite: it may be installed while make runs.
$(PARSER): $(B)/obj/llhttp/%.o: $(B)/.flags
	@mkdir -p $(@D)
	$(if $(Q),@echo '  CC      $(LLHTTP)/llhttp/$*.c')
	$(Q)$(CC) -isystem $(LLHTTP)/include -isystem $(LLHTTP)/include/llhttp -DLLHTTP_STRICT_MODE=1 -w $(OPTIMIZE) \
		$(SANITIZE) -c -o $@ $(LLHTTP)/llhttp/$*.c

# The program of shims (src/capture/shell_dir.c puts it in place): only the objects that it needs, and the libraries
# that these need, because it starts before every command. Its bytes are a part of ours.
$(B)/libparts.a: $(PARTS) $(B)/.objects
	@rm -f $@
	$(Q)ar qcsT $@ $(PARTS)
$(B)/shim: $(B)/obj/src/cmd/shim.o $(B)/libparts.a
	$(if $(Q),@echo '  LINK    $@')
	$(Q)$(CC) $(LDFLAGS_ALL) -s -Wl,--as-needed -Wl,--gc-sections -o $@ $^ $(LIBS)
$(B)/obj/shim_bytes.o: $(B)/shim
	$(Q)printf '%s\n' '.section .rodata' '.global shell_shim_begin, shell_shim_size' 'shell_shim_begin:' \
		'.incbin "$<"' '1:' '.balign 8' 'shell_shim_size:' '.quad 1b - shell_shim_begin' \
		'.section .note.GNU-stack,"",%progbits' >$(B)/shim_bytes.s
	$(Q)$(CC) -c -o $@ $(B)/shim_bytes.s

$(LIB): $(OBJ) $(B)/.objects
	$(if $(Q),@echo '  AR      $@')
	@rm -f $@
	$(Q)ar qcs $@ $(OBJ)

# The installed library is one object that exports only tw_*, so no name of ours can clash with its user's.
# It takes from our archive only what src/lib needs.
$(B)/install/libtrackway.a: $(filter $(B)/obj/src/lib/%,$(OBJ)) $(LIB)
	@mkdir -p $(@D)
	$(if $(Q),@echo '  AR      $@')
	$(Q)$(CC) -r -nostdlib -o $(@D)/trackway.o $^
	$(Q)$$($(CC) -print-prog-name=objcopy) --wildcard --keep-global-symbol='tw_*' $(@D)/trackway.o
	@rm -f $@
	$(Q)ar rcs $@ $(@D)/trackway.o
$(B)/install/trackway.pc: include/trackway.pc.in src/base/build.h $(B)/.flags FORCE
	@mkdir -p $(@D)
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBS@|$(filter -lhs% -lm,$(LIBS)) -pthread|' \
		-e "s|@VERSION@|$$(sed -n 's/^#define BUILD_VERSION "\(.*\)"/\1/p' src/base/build.h)|" $< >$@

define link
@mkdir -p $(@D)
$(if $(Q),@echo '  LINK    $@')
$(Q)$(CC) $(LDFLAGS_ALL) $(1) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)
endef
$(B)/trackway: $(B)/obj/src/cmd/main.o $(LIB)
	$(link)
# Code that only some tests need: in an archive, so that the other tests do not need its dependencies.
$(B)/libharness.a: $(B)/obj/tests/harness/convert.o
	@rm -f $@
	$(Q)ar rcs $@ $^
$(foreach r,$(UNIT_ROOMS),$(eval $(B)/unit/$r: $(patsubst %.c,$(B)/obj/%.o,$(filter tests/unit/$r/%,$(UNIT_SRC)))))
$(UNIT): $(B)/obj/tests/harness/test.o $(B)/libharness.a $(LIB) $(B)/.tests
	$(call link,$(WRAP_$(@F)))
# System calls that tests/unit/base/faults.c makes fail.
WRAP_base := $(patsubst %,-Wl$(comma)--wrap=%,openat read write fsync renameat)
$(B)/fault: $(FAULT_SRC:%.c=$(B)/obj/%.o) $(B)/obj/tests/harness/test.o $(LIB) $(B)/.tests
	$(link)
$(B)/integration/%: $(B)/obj/tests/integration/%.o $(LIB)
	$(link)
$(B)/replay: $(TARGETS:%=$(B)/obj/tests/fuzz/fuzz_%.o) $(B)/obj/tests/fuzz/standalone.o $(B)/libharness.a $(LIB) \
		$(B)/.tests
	$(link)
$(B)/fuzz_%: $(B)/obj/tests/fuzz/fuzz_%.o $(B)/libharness.a $(LIB)
	$(call link,-fsanitize=fuzzer)

# Tests. Every suite is a command whose last line is "N passed, N failed, N skipped". The tests of a file are a
# suite, so both processors stay busy, and each suite has its own temporary directory and time limit.
.PHONY: test unit es6 cross-arm64
stems = $(foreach s,$(1),$(if $(filter test_%,$(notdir $s)),$(basename $s)))
UNIT_SUITES := $(foreach s,$(call stems,$(UNIT_SRC)),\
	'$(RUN_WITH)$(B)/unit/$(word 3,$(subst /, ,$s)) $(s:tests/unit/%=%)')
SUITES := $(UNIT_SUITES) $(patsubst tests/%,'$(B)/fault %',$(call stems,$(FAULT_SRC))) \
	$(foreach t,$(TARGETS),'$(B)/replay $t tests/fuzz/corpus/$t') \
	$(patsubst %/,'tests/cli/run %',$(wildcard tests/cli/*/)) \
	$(wildcard tests/tools/run tests/lint/run tests/doc/run tests/integration/lib/run)
test: $(B)/.setup/test test-programs staged
	@printf '%s\n' $(SUITES) | TRACKWAY=$(B)/trackway STAGED=$(B)/staged STAGED_CC='$(CC) $(SANITIZE)' \
		tools/run-tests $(B)/test

# The library as its users find it, for tests/integration/lib.
.PHONY: staged
staged: $(B)/trackway $(INSTALLED)
	@rm -rf $(B)/staged
	@$(MAKE) install DESTDIR= PREFIX=$(abspath $(B))/staged >/dev/null

unit: $(UNIT)
	@printf '%s\n' $(UNIT_SUITES) | tools/run-tests $(B)/test

es6: $(B)/unit/base
	TRACKWAY_ES6_LINES=10000000 TRACKWAY_TEST_SECONDS=3600 $< test_num published

# The files of a ledger after a crash at any point, on a simulated disk; then each sync removed in turn.
# Calls of Ed25519 go through tests/crash/signing.c, which remembers them.
STATES ?= 1000000
.PHONY: crash
crash: $(B)/crash/crash
	$< states=$(STATES) $(CRASH)
$(B)/crash/crash: $(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/crash/*.c)) $(LIB)
	$(call link,-Wl$(comma)--wrap=ed25519_sign$(comma)--wrap=ed25519_is_signed)

CROSS_CC := aarch64-linux-gnu-gcc
CROSS_RUN := qemu-aarch64
cross-arm64:
	@if command -v $(CROSS_CC) >/dev/null && command -v $(CROSS_RUN) >/dev/null; then \
		TRACKWAY_TEST_SLOWER=20 $(MAKE) MODE=arm64 CC=$(CROSS_CC) B=$(B)/arm64 LIBS=-lm LDFLAGS=-static \
			RUN_WITH='$(CROSS_RUN) ' unit; \
	else \
		echo 'skipped: $(CROSS_CC) and $(CROSS_RUN) are not both installed'; \
		echo '0 passed, 0 failed, 1 skipped'; \
	fi

.PHONY: lint nightly fuzz bench demo
lint: $(B)/.setup/lint
	@tools/lint

nightly:
	@.ci/nightly

fuzz: $(B)/.setup/fuzz
	@$(MAKE) MODE=fuzz CC=clang B=$(B)/fuzz fuzz-programs
	@tools/fuzz $(B)/fuzz $(FUZZ_TARGETS)

bench: $(B)/.setup/bench $(B)/trackway
	@B=$(B) bench/run
	@B=$(B) bench/proxy
	@B=$(B) bench/ledger
	@B=$(B) bench/reports
	@B=$(B) bench/client
	@B=$(B) bench/otlp
	@B=$(B) bench/replay

demo: $(B)/.setup/demo $(B)/trackway
	@TRACKWAY=$(B)/trackway tools/demo

# Installing. The manual and the completions come from the program's own tables.
ROOT := $(DESTDIR)$(PREFIX)
BASH_COMPLETION := share/bash-completion/completions/trackway
ZSH_COMPLETION := share/zsh/site-functions/_trackway
FISH_COMPLETION := share/fish/vendor_completions.d/trackway.fish

.PHONY: install uninstall clean help
install: $(B)/trackway $(INSTALLED)
	install -D -m 755 $(B)/trackway $(ROOT)/bin/trackway
	install -D -m 644 $(B)/install/libtrackway.a $(ROOT)/lib/libtrackway.a
	install -D -m 644 $(B)/install/trackway.pc $(ROOT)/lib/pkgconfig/trackway.pc
	install -D -m 644 include/trackway.h $(ROOT)/include/trackway.h
	rm -rf $(B)/share && mkdir -p $(B)/share/man
	$(B)/trackway --generate man $(B)/share/man
	$(B)/trackway --generate complete-bash >$(B)/share/bash
	$(B)/trackway --generate complete-zsh >$(B)/share/zsh
	$(B)/trackway --generate complete-fish >$(B)/share/fish
	install -d $(ROOT)/share/man/man1 $(ROOT)/share/man/man5
	install -m 644 $(B)/share/man/*.1 $(ROOT)/share/man/man1
	install -m 644 $(B)/share/man/*.5 $(ROOT)/share/man/man5
	install -D -m 644 $(B)/share/bash $(ROOT)/$(BASH_COMPLETION)
	install -D -m 644 $(B)/share/zsh $(ROOT)/$(ZSH_COMPLETION)
	install -D -m 644 $(B)/share/fish $(ROOT)/$(FISH_COMPLETION)

uninstall:
	cd $(ROOT) && rm -f bin/trackway lib/libtrackway.a lib/pkgconfig/trackway.pc include/trackway.h \
		share/man/man1/trackway.1 share/man/man1/trackway-*.1 share/man/man5/trackway-trace.5 \
		$(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION)

clean:
	rm -rf $(B)

help:
	@sed -n 's/^#?//p' $(firstword $(MAKEFILE_LIST))

-include $(wildcard $(addprefix $(B)/obj/,src/*/*.d src/*/*/*.d tools/*.d tests/*/*.d tests/*/*/*.d tests/*/*/*/*.d))
