# Shared by the scripts: steps that show their progress and time. Sourced by bash, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
logs=$root/build/logs
mkdir -p "$logs"

# The compiler cache serves every clone and build folder of the project.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros

declare -a step_names=() step_results=() step_times=()
tests_passed=0
tests_failed=0

die() { # die SENTENCE [EXIT_CODE]
    echo "${0##*/}: error: $1" >&2
    exit "${2:-3}"
}

now() { date +%s%3N; }

seconds() { printf '%d.%d s' $(($1 / 1000)) $(($1 % 1000 / 100)); }

# last_line FILE COLUMNS: the last line that is not empty, cut.
last_line() { tail -c 4000 "$1" | tr '\r' '\n' | tr -d $'\e' | { grep -v '^[[:space:]]*$' || true; } | tail -n 1 | cut -c "1-$2"; }

# run_step NAME COMMAND...: runs it with its output in build/logs, shows the name, progress and time; on failure
# the end of its output. Returns the command's status and remembers it for `summary`.
run_step() {
    local name=$1 log status=0 begin end last=0
    shift
    log=$logs/$(tr -c 'a-zA-Z0-9\n' '-' <<<"$name").log
    begin=$(now)
    [ -t 1 ] || echo "== $name"
    "$@" >"$log" 2>&1 </dev/null &
    local pid=$!
    while kill -0 $pid 2>/dev/null; do
        sleep 0.2
        end=$(($(now) - begin))
        if [ -t 1 ]; then
            printf '\r\e[K%-28s %8s  %s' "$name" "$(seconds $end)" "$(last_line "$log" 60)"
        elif ((end / 60000 > last)); then
            last=$((end / 60000))
            printf '   %s: %s\n' "$(seconds $end)" "$(last_line "$log" 100)"
        fi
    done
    wait $pid || status=$?
    end=$(($(now) - begin))
    step_names+=("$name")
    step_times+=("$end")
    [ -t 1 ] && printf '\r\e[K'
    if [ $status -eq 0 ]; then
        step_results+=(ok)
        printf '%-28s %8s  ok\n' "$name" "$(seconds $end)"
    else
        step_results+=(FAILED)
        printf '%-28s %8s  FAILED (%s)\n' "$name" "$(seconds $end)" "${log#"$root"/}"
        tail -n "${STEP_TAIL:-40}" "$log" | sed 's/^/    /'
    fi
    return $status
}

# The log of a step, by its name.
step_log() { echo "$logs/$(tr -c 'a-zA-Z0-9\n' '-' <<<"$1").log"; }

# summary: the table of all steps.
summary() {
    local index total=0
    echo
    printf '%-28s %10s  %s\n' step time result
    for index in "${!step_names[@]}"; do
        printf '%-28s %10s  %s\n' "${step_names[$index]}" "$(seconds "${step_times[$index]}")" \
            "${step_results[$index]}"
        total=$((total + step_times[index]))
    done
    printf '%-28s %10s\n' total "$(seconds $total)"
}
