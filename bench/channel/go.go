// The rival in Go: unbuffered channels between two goroutines. It is timed as in bench/measure.hpp: an untimed call
// comes first.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

const roundTrips = 5_000

func play() int {
	there, back := make(chan int), make(chan int)
	go func() {
		for i := 0; i < roundTrips; i++ {
			back <- <-there + 1
		}
	}()
	number := 0
	for i := 0; i < roundTrips; i++ {
		there <- number + 1
		number = <-back
	}
	return number
}

// Pages of memory that the system had to provide so far.
func faults() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Minflt
}

func main() {
	workers, err := strconv.Atoi(os.Args[2]) // --workers N
	if err != nil {
		panic(err)
	}
	runtime.GOMAXPROCS(workers)
	verified := play() == 2*roundTrips
	for calls := 1; ; calls *= 2 {
		before, start := faults(), time.Now()
		for i := 0; i < calls; i++ {
			verified = play() == 2*roundTrips && verified
		}
		seconds, new := time.Since(start).Seconds(), faults()-before
		if seconds > 0.07 {
			fmt.Printf("{\"workload\": \"channel\", \"value\": %.9f, \"unit\": \"s\", \"operations\": %d, \"verified\": %t, \"faults\": %d}\n",
				seconds, 2*roundTrips*calls, verified, new)
			return
		}
	}
}
