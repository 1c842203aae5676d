// The rival in Go: unbuffered channels between two goroutines.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
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

func main() {
	workers, err := strconv.Atoi(os.Args[2]) // --workers N
	if err != nil {
		panic(err)
	}
	runtime.GOMAXPROCS(workers)
	verified := true
	for calls := 1; ; calls *= 2 {
		start := time.Now()
		for i := 0; i < calls; i++ {
			verified = play() == 2*roundTrips && verified
		}
		if seconds := time.Since(start).Seconds(); seconds > 0.07 {
			fmt.Printf("{\"workload\": \"channel\", \"value\": %.9f, \"unit\": \"s\", \"operations\": %d, \"verified\": %t}\n",
				seconds, 2*roundTrips*calls, verified)
			return
		}
	}
}
