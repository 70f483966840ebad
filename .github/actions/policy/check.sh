#!/bin/sh
# The steps of action.yml: every check runs, and the last line decides. `gbac` has to be in the path.
set -u
policy=${GBAC_ACTION_POLICY:?names no policy document}
failed=0

gbac policy validate -- "$policy" || failed=1
gbac policy lint --format github --fail-on "${GBAC_ACTION_FAIL_ON:-error}" -- "$policy" || failed=1

# File names are separated by blanks.
for tests in ${GBAC_ACTION_TESTS:-}; do
    gbac test --format github -- "$tests" || failed=1
done

if [ -n "${GBAC_ACTION_BEFORE:-}" ]; then
    gbac policy diff --format markdown -- "$GBAC_ACTION_BEFORE" "$policy" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}" || failed=1
fi
exit "$failed"
