#!/bin/sh
# make dist: an archive that builds, tests and archives itself again, without a repository.
. "$(dirname "$0")/lib.sh"
archive=$(make_here dist) || bad "make dist"
same "its name" "$archive" "build/lanefix-$("$LANEFIX" --version | sed 's/lanefix //').tar.gz"
tar -xzf "$top/$archive" || { bad "cannot be unpacked"; finish; }
same "one folder" "$(ls -A | tr '\n' ' ')" "$(basename "$archive" .tar.gz) "
cd "$(basename "$archive" .tar.gz)" || finish
find . ! -type d | LC_ALL=C sort >../files
check "no folder but those there are" sh -c "! ls | grep -vxE 'Makefile|README.md|LICENSE|CHANGELOG.md|include|src|tests|bench|data'"
same "make" "$(make -s -j2 all CC="$CC" 2>&1)" ""
program=build/${BUILD##*/}/lanefix
same "the version" "$($program --version)" "$("$LANEFIX" --version)"
check "the sample" sh -c "sh data/run_sample.sh $program >../sample.log 2>&1"
make -s dist >/dev/null || bad "make dist of the archive"
mkdir ../again
tar -xzf "$archive" -C ../again
(cd ../again/* && find . ! -type d | LC_ALL=C sort) >../files.again
grep -v '^\./\.' ../files >../files.plain
check "the archive of the archive" diff ../files.plain ../files.again
finish
