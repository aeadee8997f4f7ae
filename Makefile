# The front door: each target does all that it needs, from a fresh Debian 12 machine on.

JOBS ?= $(shell nproc)
CMAKE_ARGS ?=            # passed to every configure step, such as CMAKE_ARGS=-DARDEA_WERROR=OFF
FUZZ_SECONDS ?= 0        # 0: until interrupted
COUNT ?= 10000
SINCE ?=                 # since origin/main, or the commit before
SEED ?= 1
PART ?= 0                # of the suites that sanitizers run a quarter or an eighth of
SCALE ?= 1                # of the samples
LINT_FILES ?= (ardea|tests)/   # a regular expression of the folders whose sources clang-tidy reads, such as ardea/(ir|te)/

BUILD_PACKAGES := g++ cmake ninja-build libfmt-dev libcli11-dev nlohmann-json3-dev libhwloc-dev libdlpack-dev \
                  libgecode-dev libgtest-dev libsqlite3-dev libxgboost-dev llvm-19-dev libjemalloc-dev
FUZZ_PACKAGES := clang-19 libclang-rt-19-dev
BENCH_PACKAGES := libopenblas0-pthread libblis4-openmp libeigen3-dev libdnnl-dev
LINT_PACKAGES := clang-format-19 clang-tidy-19 git

# The parts where threads meet.
TSAN_TESTS := runtime interp compile space
# GCC 12's thread sanitizer cannot place its shadow where the kernel spreads addresses too widely.
FIXED_ADDRESSES := $(shell setarch -R true 2>/dev/null && echo setarch -R)

BUILD = cmake --build build/$(1) --parallel $(JOBS)
CTEST = ctest --test-dir build/$(1) --output-on-failure --no-tests=error --parallel $(JOBS)

.DEFAULT_GOAL := help
.NOTPARALLEL: # two apt-get at a time would wait for each other's lock; CMake is told JOBS
.PHONY: help deps deps-fuzz deps-bench deps-dev build debug demo test unit-test test-whole test-asan test-tsan test-report test-other-arch fuzz fuzz-space fuzz-script fuzz-briefly lint lint-changed lint-each campaign \
        schedules stages tuples samples gpu-samples kills functions bench-functions bench-peers bench-cpu bench-random bench-frameworks bench-compile bench-trials bench-space bench-cost bench-search docs-primitives mutants clean FORCE

help: ## list the targets
	@echo "make TARGET [JOBS=n] [CMAKE_ARGS=…]"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F'|' '{printf "  %-16s %s\n", $$1, $$2}'

deps: ## install the packages that building and testing need
	@tools/install_packages $(BUILD_PACKAGES)

deps-fuzz:
	@tools/install_packages $(FUZZ_PACKAGES)

deps-bench: deps ## install also the libraries that `ardea bench` compares with
	@tools/install_packages $(BENCH_PACKAGES)

deps-dev: deps deps-fuzz ## install also what fuzzing and linting need
	@tools/install_packages $(LINT_PACKAGES)

# Configured once; after that Ninja runs CMake itself when a CMake file changes. Arguments are always passed on.
build/%/build.ninja: CMakePresets.json $(if $(strip $(CMAKE_ARGS)),FORCE)
	cmake --preset $* $(CMAKE_ARGS)
	@touch $@

build: deps ## build everything into build/release; the program is build/release/bin/ardea
	@$(MAKE) --no-print-directory build/release/build.ninja
	$(call BUILD,release)

debug: deps ## the same for debugging, into build/debug
	@$(MAKE) --no-print-directory build/debug/build.ninja
	$(call BUILD,debug)

# The program alone: whoever wants to see it first need not wait for the tests to build.
demo: deps ## build the program; show, run and check the examples, and tune a product
	@$(MAKE) --no-print-directory build/release/build.ninja
	$(call BUILD,release) --target ardea
	tools/demo

test: deps deps-fuzz unit-test fuzz-briefly ## build and run all tests, and fuzz the parsers for 30 s each

unit-test: build
	$(call CTEST,release)

test-whole: build ## the tests with every case of the lists that `make test` takes samples of
	ARDEA_WHOLE_TESTS=1 $(call CTEST,release)
	build/release/bin/ardea_schedules --count 4000 --least 150 --least-dependent 40 --compiled 0.3 --jobs $(JOBS)

test-asan: deps ## all tests, of the longest suites one of four or eight parts (PART=0 to 7), under the address and undefined-behaviour sanitizers
	@$(MAKE) --no-print-directory build/asan/build.ninja CMAKE_ARGS='$(CMAKE_ARGS) -DARDEA_PART=$(PART)'
	$(call BUILD,asan)
	ASAN_OPTIONS=allocator_may_return_null=1 $(call CTEST,asan) # as malloc does: tests ask for more than there is

test-tsan: deps ## the tests of the concurrent parts under the thread sanitizer
	@$(MAKE) --no-print-directory build/tsan/build.ninja
	$(call BUILD,tsan) --target $(TSAN_TESTS:%=test_%)
	$(FIXED_ADDRESSES) $(call CTEST,tsan) --tests-regex '^($(subst $() ,|,$(TSAN_TESTS)))$$'

test-other-arch: deps ## cross-compile for the other architecture and run its tests under emulation
	tools/test_other_architecture

# Not part of `make test`: a browser is large.
test-report: deps ## show a page of `ardea report` to a real browser (Debian's chromium): wide, narrow, light, dark, printed
	@$(MAKE) --no-print-directory build/release/build.ninja
	$(call BUILD,release) --target ardea ardea_example_database
	@tools/install_packages chromium fonts-dejavu-core python3
	@mkdir -p build/report && rm -f build/report/example.db*
	build/release/bin/ardea_example_database build/report/example.db
	build/release/bin/ardea report build/report/example.db -o build/report/report.html
	tools/check_report build/report/report.html build/report

# libFuzzer reads every folder and writes new inputs to the first; a crashing input is left in build/fuzz.
FUZZ_PARSER = mkdir -p build/fuzz/corpus && build/fuzz/bin/fuzz_parser -max_total_time=$(1) -timeout=10 \
  -artifact_prefix=build/fuzz/ -print_final_stats=1 -dict=tests/fuzz/parser.dict build/fuzz/corpus \
  $(wildcard tests/fuzz/seeds examples)
FUZZ_SPACE = mkdir -p build/fuzz/corpus_space && build/fuzz/bin/fuzz_space -max_total_time=$(1) -timeout=10 \
  -artifact_prefix=build/fuzz/ -print_final_stats=1 -dict=tests/fuzz/space.dict build/fuzz/corpus_space \
  tests/fuzz/seeds_space

fuzz: deps deps-fuzz ## fuzz the parser (FUZZ_SECONDS=n, or until interrupted)
	@$(MAKE) --no-print-directory build/fuzz/build.ninja
	$(call BUILD,fuzz) --target fuzz_parser
	$(call FUZZ_PARSER,$(strip $(FUZZ_SECONDS)))

fuzz-space: deps deps-fuzz ## fuzz the parser of constraint systems (FUZZ_SECONDS=n, or until interrupted)
	@$(MAKE) --no-print-directory build/fuzz/build.ninja
	$(call BUILD,fuzz) --target fuzz_space
	$(call FUZZ_SPACE,$(strip $(FUZZ_SECONDS)))

# Half of Ardea is compiled for it, more than `make test` has time for.
fuzz-script: deps deps-fuzz ## fuzz the steps of schedules, scripts and traces (FUZZ_SECONDS=n, or until interrupted)
	@$(MAKE) --no-print-directory build/fuzz/build.ninja
	$(call BUILD,fuzz) --target fuzz_script
	@mkdir -p build/fuzz/corpus_script
	build/fuzz/bin/fuzz_script -max_total_time=$(strip $(FUZZ_SECONDS)) -timeout=10 -artifact_prefix=build/fuzz/ -max_len=1000 \
	  -print_final_stats=1 -dict=tests/fuzz/script.dict build/fuzz/corpus_script tests/fuzz/scripts examples examples/primitives

# Side by side: each keeps one core busy, for a minute of processor time together.
fuzz-briefly: unit-test
	@$(MAKE) --no-print-directory build/fuzz/build.ninja
	$(call BUILD,fuzz) --target fuzz_parser fuzz_space
	($(call FUZZ_SPACE,30)) & space=$$!; ($(call FUZZ_PARSER,30)); parser=$$?; wait $$space && exit $$parser

# Configured, not built, and every time: of files that are new clang-tidy would guess how they are compiled.
LINT_CONFIGURE = cmake --preset $(1) --log-level=ERROR $(CMAKE_ARGS) > /dev/null

# Forty sources are read as one, by way of files that CMake writes: one by one they take six hours of a core, most of it
# for the headers that they share. The check that is off is against including a source, which is all that these files do.
lint: deps-dev ## check the formatting of all sources and run clang-tidy (LINT_FILES=regex of folders)
	git ls-files -z '*.h' '*.cc' | xargs -0 clang-format-19 --dry-run -Werror
	@$(call LINT_CONFIGURE,lint-whole)
	run-clang-tidy-19 -p build/lint-whole -quiet -j $(JOBS) -checks=-bugprone-suspicious-include '$(CURDIR)/(build/lint-whole/)?($(strip $(LINT_FILES)))'

# What continuous integration can afford: all files take too long for it. Each is read by itself.
lint-changed: deps-dev ## check the formatting of all sources, clang-tidy on those changed since SINCE=revision
	@$(call LINT_CONFIGURE,lint)
	JOBS=$(JOBS) tools/lint_changed $(SINCE)

lint-each: deps ## compile every source by itself: groups hide a missing include (half an hour of a core)
	@tools/install_packages python3
	@$(call LINT_CONFIGURE,lint)
	tools/compile_each build/lint/compile_commands.json --jobs $(JOBS)

campaign: build ## run COUNT random programs interpreted and compiled, from SEED on, and compare
	$(call BUILD,release) --target ardea_campaign
	build/release/bin/ardea_campaign --count $(COUNT) --seed $(SEED)

schedules: COMPILED ?= 0.1
schedules: build ## transform COUNT random programs by random schedules, from SEED on, and compare (the share COMPILED also compiled)
	build/release/bin/ardea_schedules --count $(COUNT) --seed $(SEED) --compiled $(COMPILED)

# So many that every directive is applied 200 times.
stages: COUNT = 700
stages: LEAST ?= 200
stages: build ## schedule COUNT random graphs by random stage directives, each applied LEAST times, and compare
	build/release/bin/ardea_stages --count $(COUNT) --seed $(SEED) --least $(LEAST)

tuples: build ## try every tuple of numbers of small workloads by hand, against the spaces of the rules
	ARDEA_TUPLES=all build/release/bin/test_rules --gtest_filter='*SmallProducts*:*lose*nothing*'

samples: build ## draw from the spaces of every operator for many machines (SCALE=1: 500 of six, 30 to 50 of each other) and check each sample
	@tools/install_packages python3
	tools/check_samples --jobs $(JOBS) --scale $(SCALE) --seed $(SEED)

gpu-samples: SAMPLES ?= 100
gpu-samples: build ## draw SAMPLES of the spaces of every operator for each GPU, lower them and run their threads in the interpreter
	ARDEA_GPU_SAMPLES=$(SAMPLES) build/release/bin/test_gpu_rules --gtest_filter='*GpuAnswers*'

kills: KILLS ?= 100
kills: build ## kill the tuner and its workers at KILLS random moments: nothing that it had told of may be lost, and the next run goes on
	ARDEA_KILLS=$(KILLS) build/release/bin/test_tune --gtest_filter='Kills.*'
	ARDEA_KILLS=$(KILLS) build/release/bin/test_cli --gtest_filter='KilledTune.*'

functions: build ## the error of every function on all float16, bfloat16 and float32 values and 10^7 random float64 ones
	$(call BUILD,release) --target ardea_functions
	build/release/bin/ardea_functions --threads $(JOBS)

bench-functions: deps ## time the vector functions against the C library's, on a quiet machine
	@$(MAKE) --no-print-directory build/release/build.ninja
	cmake build/release -DARDEA_BENCH=ON
	$(call BUILD,release) --target ardea_bench_functions
	build/release/bin/ardea_bench_functions

bench-peers: deps-bench ## fetch current libraries from PyPI where it is reachable; build the program and the plug-ins that `ardea bench --against` opens
	@$(MAKE) --no-print-directory build/release/build.ninja
	@tools/install_packages python3
	tools/fetch_peers build/peers
	cmake build/release -DARDEA_BENCH=ON -DARDEA_FETCHED_PEERS=$(CURDIR)/build/peers
	$(call BUILD,release) --target ardea ardea_peers ardea_gpu_peers

bench-cpu: bench-peers ## time the cpu_f32 set against all libraries on one thread, into build/bench: JSON, a table and a plot
	@tools/install_packages python3
	@mkdir -p build/bench
	build/release/bin/ardea bench --set cpu_f32 --against $$(ls build/release/lib/peers | grep -v cloop | paste -sd,) --json > build/bench/cpu_f32.json.new
	mv build/bench/cpu_f32.json.new build/bench/cpu_f32.json
	bench/report.py build/bench/cpu_f32.json

bench-random: COUNT = 60
bench-random: OPS ?= gemm
bench-random: bench-peers ## time COUNT shapes of each of OPS by chance, from SEED on, against all libraries
	@tools/install_packages python3
	@mkdir -p build/bench
	bench/random_workloads.py --count $(COUNT) --seed $(SEED) $(OPS) > build/bench/random_workloads.json
	build/release/bin/ardea bench --set random --workloads build/bench/random_workloads.json --against $$(ls build/release/lib/peers | grep -v -e cloop -e copy | paste -sd,) --json > build/bench/random.json.new
	mv build/bench/random.json.new build/bench/random.json
	bench/report.py build/bench/random.json

# The table of docs/benchmarks.md: ARGS=--prepacked. PyPI's PyTorch for x86_64 brings CUDA; PIP_ARGS='--extra-index-url …' with the
# index of builds for processors that PyTorch's site names takes it without.
bench-frameworks: ARGS ?=
bench-frameworks: PIP_ARGS ?=
bench-frameworks: deps ## time Ardea beside PyTorch, onnxruntime and NumPy from PyPI on one thread, into build/bench/frameworks (ARGS=--tuned)
	@$(MAKE) --no-print-directory build/release/build.ninja
	$(call BUILD,release) --target ardea
	@tools/install_packages python3 python3-venv
	tools/fetch_frameworks build/frameworks $(PIP_ARGS)
	build/frameworks/bin/python bench/with_frameworks.py --ardea build/release/bin/ardea -o build/bench/frameworks $(ARGS)

bench-compile: deps ## time the compiler itself: a trace of 40 instructions, lowering, and LLVM's part
	@$(MAKE) --no-print-directory build/release/build.ninja
	cmake build/release -DARDEA_BENCH=ON
	$(call BUILD,release) --target ardea_bench_compile
	build/release/bin/ardea_bench_compile --passes

bench-trials: deps ## trials a second of small and large products: drawn from the space, built, checked and timed in workers
	@$(MAKE) --no-print-directory build/release/build.ninja
	cmake build/release -DARDEA_BENCH=ON
	$(call BUILD,release) --target ardea ardea_bench_trials
	build/release/bin/ardea_bench_trials gemm 64,64,64 --trials 64 --worker build/release/bin/ardea
	build/release/bin/ardea_bench_trials gemm 1024,1024,1024 --trials 32 --worker build/release/bin/ardea

# The numbers are for one core of a quiet machine; what is found is checked by the language's own evaluator.
bench-space: deps ## time making and solving spaces, check a million solutions; fails where a target is missed
	@$(MAKE) --no-print-directory build/release/build.ninja
	cmake build/release -DARDEA_BENCH=ON
	$(call BUILD,release) --target ardea_bench_space ardea_bench_templates
	build/release/bin/ardea_bench_space; solved=$$?; build/release/bin/ardea_bench_templates && exit $$solved

# Points of spaces are compiled and timed by one thread, in processor time.
bench-cost: deps ## time points of spaces, and tell how well models rank those that they have not seen
	@$(MAKE) --no-print-directory build/release/build.ninja
	cmake build/release -DARDEA_BENCH=ON
	$(call BUILD,release) --target ardea_bench_cost
	ARDEA_NUM_THREADS=1 build/release/bin/ardea_bench_cost

bench-search: deps ## simulate the search's strategies on real spaces and made-up machines, 30 of each: how near to the optimum, after how many trials
	@$(MAKE) --no-print-directory build/release/build.ninja
	cmake build/release -DARDEA_BENCH=ON
	$(call BUILD,release) --target ardea_bench_search
	build/release/bin/ardea_bench_search

# By way of a second file: a page of which the making fails is kept as it was.
docs-primitives: deps ## write docs/primitives.md from examples/primitives
	@$(MAKE) --no-print-directory build/release/build.ninja
	$(call BUILD,release) --target ardea_primitives_page
	build/release/bin/ardea_primitives_page > build/primitives.md
	mv build/primitives.md docs/primitives.md

mutants: deps ## break the code in known places and see which test notices
	@tools/install_packages python3 git
	tools/mutants

clean: ## remove what the targets above built
	rm -rf $(addprefix build/,release lint lint-whole debug asan tsan fuzz)
