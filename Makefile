# `make` lists what there is to do.

# Where rustup puts itself, for shells that were started before that. It comes first: the toolchain
# of `scripts/wasm-toolchain.sh` brings a second cargo, in /usr/bin, that is not meant for the host.
export PATH := $(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)

# Where cargo leaves what it builds.
built := $(or $(CARGO_TARGET_DIR),target)

# The library crates: each folder of `src` with a manifest. The commands are no API, and brackets in their help are no links.
libraries := $(patsubst src/%/Cargo.toml,-p narratoria-%,$(filter-out src/cli/%,$(sort $(wildcard src/*/Cargo.toml))))

.PHONY: help setup nextest build play languages registry database test nightly readings lint mcp-clients book epubcheck htmlcheck web-test recall listening bench fleet turns models eval-models dist dist-twice real-model real-servers heads bench-model hostile soak walks fuzz mutants clean

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

setup: ## install what building needs (nothing happens where it is there)
	@scripts/setup.sh

# The model of sentence vectors goes into the program, so that skills and memories are found by their meaning.
embedding_model := $(built)/embedding-model/all-MiniLM-L6-v2.gguf

build: setup ## build the program as target/release/narratoria
	@scripts/embedding-model.sh "$(built)/embedding-model" || echo "build: without sentence vectors, because their model could not be fetched"
	NARRATORIA_EMBEDDING_MODEL_FILE="$$(test ! -s "$(embedding_model)" || echo "$(abspath $(embedding_model))")" cargo build --release --locked
ifneq ($(built),target)
	@mkdir -p target/release
	@cp -f "$(built)/release/narratoria" target/release/narratoria
endif
# The built-in skills go into the program as native code, so that a player's first start compiles nothing.
	target/release/narratoria embed-compiled-skills target/release/narratoria

play: build ## build and play
	target/release/narratoria run

languages: setup ## install the tools for the skills in Python and JavaScript, where this machine has both languages
	@scripts/languages.sh "$(built)/languages"

# With a build folder of its own: its flags would have everything built again in the usual one.
dist: setup ## make a release in target/dist/out: tarball, .deb, image, licences, SBOM, digests, signatures (DIST_KEY=FILE)
	DIST_BUILD_DIR="$(abspath $(built)/dist/build)" scripts/dist/dist.sh "$(built)/dist/out"

dist-twice: setup ## make the release of the last commit twice, in two folders, and compare all digests (takes two builds)
	scripts/dist/same.sh "$(built)/dist/twice"

nextest: setup
	@scripts/nextest.sh

# The tests of the crates with the feature `llama` run apart, so that all others build in half the time.
with_model := -p narratoria-model -p narratoria-narrator -p narratoria-engine -p narratoria-ui -p narratoria-cli -p narratoria-model-tests
without_model := --workspace --no-default-features --exclude narratoria-guest-programs --exclude narratoria-narrator-bench \
	$(subst -p ,--exclude ,$(with_model))
with_examples := -p narratoria-sdk -p narratoria-facts

# How often `make test` repeats what is random; the tests themselves say how often they do without this.
quick_sizes := CRASH_KILLS=12 TICK_KILLS=3 TICKS=5 STORY_SEQUENCES=2000 STORY_EXPORTS=10 STRANGERS_ONE_IN=9 \
	EVENING_TURNS=20 NARRATOR_PLANS=100 SCOPE_PLANS=8 QUEUE_SEQUENCES=8 QUEUE_FINISHED=5000 FLEET_KILLS=4 FLEET_NEIGHBOURS=3 \
	HISTORY_OPERATIONS=400 HOSTED_KILLS=4 HOSTED_PARTITION_SECONDS=1

# Without Python or Node.js the packages in these languages are left out, unless NARRATORIA_LANGUAGES=required.
test: languages nextest registry database ## run the quick tests; says at the end what it leaves out
	$(quick_sizes) cargo nextest run --locked --profile quick $(without_model)
	$(quick_sizes) cargo nextest run --locked --profile quick $(with_model)
	cargo test --quiet --locked --doc $(with_examples)
	@scripts/web-test.sh unit
	@scripts/left-out.py $(without_model)
	@scripts/left-out.py $(with_model)
	@if [ -e "$(built)/languages/left-out" ]; then cat "$(built)/languages/left-out"; fi

readings: setup ## write again how the sets of sentences are read; review the difference in git
	BLESS=1 cargo test --locked -p understanding --test understanding -- sentences:: voices::
	BLESS=1 cargo test --locked -p narratoria-campaign --lib -- sentence_tests:: --skip each_set

# A step that fails does not keep the others from being run; the list at the end says which it was.
night = -@scripts/timed.sh

# The sizes of what is random or long, for one night on two cores; by hand `make soak`, `make hostile` and `make walks` take
# larger ones. They run from the build of the tests: a release build of each would take longer than what it then runs.
night_sizes := CRASH_KILLS=100 TICK_KILLS=30 TICKS=25 STORY_SEQUENCES=40000 EVENING_TURNS=150 EVENING_SEEDS=1,2 HOSTILE_ROUNDS=12 \
	RUNAWAYS=20 SOAK_PLANS=200000 WORLD_SEQUENCES=5000 WILD_WALKS=300 WALKS=50 PREMISE_WALKS=200 MODEL_TICKS=20 NARRATOR_PLANS=3000 SCOPE_PLANS=200 \
	FLEET_KILLS=1000 FLEET_NEIGHBOURS=40 HISTORY_OPERATIONS=10000 HOSTED_KILLS=1000 HOSTED_PARTITION_SECONDS=60
long_tests := test(/a_million_plans/) | test(/^hostile::runaway/) | test(/the_prose_of_many_walks/)

# Tests that publish packages find it there.
docker_registry := $(built)/docker-registry/docker-registry
export NARRATORIA_DOCKER_REGISTRY := $(abspath $(docker_registry))

registry: setup ## fetch Debian's docker-registry, for the tests that publish packages (left out where there is none)
	@scripts/docker-registry.sh "$(built)/docker-registry"

# The server runs in the tests alone.
database: setup ## install PostgreSQL, for the tests of fleets and of hosted stories (left out where there is none)
	@scripts/postgres.sh

nightly: languages nextest registry database ## run everything: all tests in the sizes of one night, the long ones, fuzz, the page, real models and servers
	@rm -f "$(built)/timed"
	$(night) "all tests without a model" env $(night_sizes) cargo nextest run --locked $(without_model)
	$(night) "the long tests" env $(night_sizes) cargo nextest run --locked --run-ignored only $(without_model) -E '$(long_tests)'
	$(night) "all tests with a model" env $(night_sizes) cargo nextest run --locked $(with_model)
	$(night) "a fleet and its database" env QUEUE_SEQUENCES=400 QUEUE_FINISHED=1000000 QUEUE_TENANTS=1000 \
		cargo nextest run --locked -p narratoria-postgres -p narratoria-queue
	$(night) "PostgreSQL 18" sh -c 'bin=$$(scripts/postgres.sh 18 "$(built)/postgres-18") && { [ -z "$$bin" ] || NARRATORIA_POSTGRES_BIN=$$bin \
		cargo nextest run --locked -p narratoria-postgres -p narratoria-queue -p narratoria-hosting; }'
	$(night) "examples" cargo test --quiet --locked --doc $(with_examples)
	$(night) "fuzz" $(MAKE) --no-print-directory fuzz FUZZ_SECONDS=15
	$(night) "the page" scripts/web-test.sh
	$(night) "clients of MCP" $(MAKE) --no-print-directory mcp-clients
	$(night) "a real model" $(MAKE) --no-print-directory real-model
	$(night) "real servers" $(MAKE) --no-print-directory real-servers
	$(night) "the package of the SDK" scripts/sdk-package.sh verify "$(built)/sdk-package" target/release/narratoria
	$(night) "the WIT package" scripts/wit-package.sh "$(built)/wit-package"
	$(night) "installation" scripts/dist/install-test.sh
	$(night) "the simulation of hosts" scripts/sizing/simulate.py --self-test
	$(night) "a host with a proxy" hosting/try.sh target/release/narratoria "$(built)/hosting-tools"
	$(night) "advisories" scripts/advisories.sh
	@cat "$(built)/timed"
	@! grep -q ' failed ' "$(built)/timed"

# Where code is only type-checked, build scripts neither compile llama.cpp nor link components (scripts/no-cmake.sh says how).
type_check := NARRATORIA_TYPE_CHECK_ONLY=1 GGML_TYPE_CHECK_ONLY=1 CMAKE="$(CURDIR)/scripts/no-cmake.sh"

lint: setup ## check format, lints, documentation and what must not depend on what
	cargo test --locked -p narratoria-house
	cargo fmt --all --check
# The workspaces of their own, which no other target of CI reads.
	for own in tests/fuzz benches/peers; do cargo update --quiet --workspace --locked --manifest-path "$$own/Cargo.toml" || exit 1; done
	$(type_check) cargo clippy --locked --workspace --all-targets -- -D warnings
	$(type_check) RUSTDOCFLAGS=-Dwarnings cargo doc --locked --no-deps --document-private-items --features narratoria-engine/llama -p narratoria-test-features -p narratoria-sdk $(libraries)
	scripts/same-features.py "$(without_model)" "$(with_model)"
	scripts/sdk-package.sh list "$(built)"
	scripts/absent.sh narratoria-sdk tokio wasmtime
	scripts/absent.sh "narratoria --no-default-features" llama-cpp-2 llguidance hf-hub
	scripts/passed-on.sh llama-cpp-sys-2 cuda metal rocm vulkan
	scripts/absent.sh "narratoria-plan -e dev" wasmtime rusqlite llama-cpp-2 hf-hub cc
	scripts/absent.sh "narratoria-executor -e dev" wasmtime rusqlite llama-cpp-2 hf-hub cc
	$(type_check) cargo clippy --locked --no-default-features --features telemetry -p narratoria -p narratoria-test-features -- -D warnings
	scripts/book.sh "$(built)/book-tools"

book: setup ## make a book of docs/ in book/ and follow its links
	scripts/book.sh "$(built)/book-tools"

epubcheck: setup ## check exported books with epubcheck (left out without Java)
	@scripts/epubcheck.sh "$(built)/epubcheck"

htmlcheck: setup ## open an exported page in a browser without a network (left out without a browser)
	@scripts/htmlcheck.sh

web-test: ## test the page: its logic with Node.js, and an evening in a browser, with the built program too (left out without them)
	@scripts/web-test.sh

mcp-clients: build ## play with clients of MCP that others wrote, in Python and TypeScript (left out without them)
	@scripts/mcp-clients.sh target/release/narratoria "$(built)/mcp-clients"

recall: setup ## measure how well memories are found by words and by meaning, with a real embedding model
	@scripts/embedding-model.sh "$(built)/embedding-model"
	NARRATORIA_EMBEDDING_MODEL="$(abspath $(embedding_model))" cargo test --release --locked -p narratoria-model-tests -- --ignored --nocapture recall_of_ten_thousand

# llama.cpp's own tool and extism are worth a comparison; where they cannot be built the bench does without.
listening: setup ## measure how much of role-play is understood, with a real embedding model
	@scripts/embedding-model.sh "$(built)/embedding-model"
	NARRATORIA_EMBEDDING_MODEL="$(abspath $(embedding_model))" cargo test --locked -p narratoria-model-tests -- --ignored --nocapture role_play

fleet: build ## measure a fleet for checks: claims, cores and overhead with 1 to 8 workers on a real PostgreSQL
	@scripts/postgres.sh
	scripts/fleet.py target/release/narratoria

bench: setup ## run the benchmarks
	-@scripts/llama-bench.sh
	-@scripts/peers.sh
	cargo bench --locked -p narratoria-sandbox -p narratoria-executor
	cargo bench --locked -p narratoria-narrator-bench --bench narrator

turns: build ## measure turns without a model, in the bundled campaigns and in one of 300 places and 1,000 storylets
	scripts/turns.py target/release/narratoria

models: ## fetch real language models for measurements into target/models
	@scripts/models.sh "$(built)/models"

# With EVAL_TIMEOUT=120000 a slow machine measures what a model would choose, not what it can choose in time.
EVAL_TIMEOUT ?= 5000

eval-models: build models ## measure all planners with each model in target/models; two reports are compared by scripts/eval-models.py
	scripts/eval-models.py run target/release/narratoria "$(built)/models" "$(built)/eval-models" --timeout $(EVAL_TIMEOUT)

real-model: build ## plan with the smallest real model that can be had: each plan must be valid
	@scripts/models.sh "$(built)/models" qwen2.5-coder-0.5b-instruct-q4.gguf
	target/release/narratoria eval contracts/eval/hostile-skills.jsonl --skills contracts/eval/hostile-skills \
		--model "$(abspath $(built)/models/qwen2.5-coder-0.5b-instruct-q4.gguf)" --timeout 60000 --require-valid 1

real-servers: setup ## play with that model behind llama-server and node-llama-cpp, which are installed where they are missing
	@scripts/models.sh "$(built)/models" qwen2.5-coder-0.5b-instruct-q4.gguf
	@scripts/real-servers.sh "$(built)/real-servers"
	NARRATORIA_REAL_SERVERS="$(abspath $(built)/real-servers)" \
		NARRATORIA_REAL_MODEL="$(abspath $(built)/models/qwen2.5-coder-0.5b-instruct-q4.gguf)" \
		cargo test --locked -p narratoria-model-tests -- --ignored --nocapture --test-threads 1 real_servers

heads: setup models ## learn again what the planner makes of sentence vectors and of a model's answers
	@scripts/embedding-model.sh "$(built)/embedding-model"
	cargo bench --locked -p narratoria-narrator-bench --bench heads -- \
		"$(abspath $(embedding_model))" "$(abspath $(built)/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf)"

bench-model: setup ## make the model of the benchmarks, target/models/bench-q4km.gguf
	cargo bench --locked -p narratoria-narrator-bench --bench narrator -- --model

# How many rounds of the whole hostile corpus `make hostile` runs, and how many runaways of each kind.
HOSTILE_ROUNDS ?= 1000
HOSTILE_RUNAWAYS ?= 1000

hostile: setup ## run a thousand rounds of components that break every rule
	HOSTILE_ROUNDS=$(HOSTILE_ROUNDS) cargo test --release --locked --no-default-features --test program hostile::rounds -- --nocapture
	HOSTILE_WHOLE=1 cargo test --release --locked --no-default-features --test program cli::sums -- --nocapture
	RUNAWAYS=$(HOSTILE_RUNAWAYS) cargo test --release --locked --no-default-features --test program hostile::runaway -- --ignored --nocapture

# How many random plans `make soak` runs, and the seed of the first.
SOAK_PLANS ?= 1000000
SOAK_FROM ?= 20000

# How often it kills the program in the middle of a plan.
SOAK_KILLS ?= 2000

# How many plans it has models with random weights make.
SOAK_NARRATED ?= 20000

# How many random sequences of verbs it runs on stories.
SOAK_SEQUENCES ?= 1000000

# How many sequences of 200 actions it plays in worlds.
SOAK_WORLDS ?= 100000

# How many of them it tells as prose.
SOAK_TOLD ?= 2000

soak: setup ## run a million random plans against the model of the rules, kill and resume 2,000, a million sequences of verbs of stories
	SOAK_PLANS=$(SOAK_PLANS) SOAK_FROM=$(SOAK_FROM) cargo test --release --locked -p narratoria-executor --lib a_million_plans -- --ignored --nocapture
	WORLD_SEQUENCES=$(SOAK_WORLDS) cargo test --release --locked -p world --test world invariants::
	WILD_WALKS=$(SOAK_TOLD) cargo test --release --locked -p storyteller --bin narrate -- every_name_in_the_narration
	CRASH_KILLS=$(SOAK_KILLS) cargo test --release --locked --no-default-features --test program crash:: -- --nocapture --test-threads 1
	TICK_KILLS=200 cargo test --release --locked --no-default-features --test program killed_tick -- --nocapture
	TICKS=500 cargo test --release --locked --no-default-features --test program many_ticks
	TICKS=500 cargo test --release --locked -p narratoria-narrator --no-default-features --lib a_long_story
	MODEL_TICKS=50 cargo test --release --locked -p narratoria-model-tests -- --nocapture form_of_the_specification
	EVENING_TURNS=300 EVENING_SEEDS=1,2,3 cargo test --release --locked --no-default-features --test program long_evening -- --nocapture
	STORY_SEQUENCES=$(SOAK_SEQUENCES) cargo test --release --locked -p narratoria-story --test story verbs_make
	SCOPE_PLANS=1000 cargo test --release --locked -p narratoria-narrator -p narratoria-model-tests -- names
	NARRATOR_PLANS=$(SOAK_NARRATED) NARRATOR_LATE_MS=50 cargo test --release --locked -p narratoria-model-tests whatever -- --nocapture

# What strangers write, by target, and how long each is fuzzed; for hours by hand: `make fuzz FUZZ_SECONDS=36000 FUZZ=plan_json`.
FUZZ ?= archive assets campaigns charx event_decoder mcp plan_json png_card manifest premise registry sentence settings schema_cost patterns stdio story_text
FUZZ_SECONDS ?= 60

# WALKS says how many walks each campaign gets.
walks: setup ## walk 500 times through each bundled campaign: all is reached, nothing is told twice
	WALKS=$(or $(WALKS),500) cargo test --locked -p narratoria-campaign --lib -- \
		--ignored --nocapture every_storylet_and_every_ending
	WALKS=$(or $(WALKS),500) cargo test --locked -p storyteller --bin narrate -- \
		--ignored --nocapture the_prose_of_many_walks

fuzz: setup ## fuzz what strangers write, 60 s each, beginning with the seeds in tests/fuzz/seeds
	@scripts/fuzz.sh "$(built)" $(FUZZ_SECONDS) $(FUZZ)

# The crates whose rules the specifications state. A whole run takes hours: MUTANTS_SHARD=0/20 is a part of it.
MUTANTS ?= narratoria-plan narratoria-executor narratoria-protocol narratoria-skills

mutants: setup ## change the code in small ways and report what no test notices (hours; MUTANTS_SHARD=0/20 for a part)
	@scripts/mutants.sh "$(built)" $(MUTANTS)

clean: ## remove everything that was built
	cargo clean
	rm -rf target book
