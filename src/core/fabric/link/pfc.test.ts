import { describe, expect, test } from 'vitest'
import { GBPS, NS, US } from '../../base/params.ts'
import { PFC } from '../packets.ts'
import { PauseBook, pauseDurationPs, refreshIntervalPs } from './pfc.ts'
import { Bench, INPUT_QUEUED } from '../../../../tests/support/switch-bench.ts'

const PACKET_PS = 1106 * 200
const CLASS_3 = 1 << 3

/** A switch whose port to host 1 is paused in class 3, and `packets` for it from host 0. */
function blocked(packets: number, text = INPUT_QUEUED): Bench {
  const bench = new Bench(3, text)
  bench.at(1 * US, () => {
    bench.pauseArrives(bench.portTo(1), CLASS_3, 65_535)
    for (let i = 0; i < packets; i++) bench.arriveFrom(0, { to: 1 })
  })
  return bench
}

describe('quanta', () => {
  test.each([
    [1, 40, 12_800],
    [100, 40, 1_280_000],
    [65_535, 40, 838_848_000],
    [65_535, 100, 335_539_200],
  ])('%i at %i Gb/s are %i ps', (quanta, gbps, ps) => {
    expect(pauseDurationPs(quanta, gbps * GBPS)).toBe(ps)
  })
})

describe('the time after which a pause is sent again', () => {
  const after = (quanta: number, refreshShare: number): number =>
    refreshIntervalPs(quanta, refreshShare, 40 * GBPS, 84 * 200)
  test('is its share of the pause', () => {
    expect(after(65_535, 0.5)).toBe(419_424_000)
  })
  test('leaves room for the PFC frames of eight classes', () => {
    expect(after(1, 0.01)).toBe(8 * 84 * 200)
  })
})

describe('the pausing end', () => {
  test('T-PFC-1: 202 packets in a port are below XOFF, the 203rd sends one pause frame and no more follow', () => {
    const below = blocked(202).run(10 * US)
    expect([below.hub.buffer.usedBytes, below.counters.pauseFrames]).toEqual([219_372, 0])
    for (const packets of [203, 204, 220]) {
      const over = blocked(packets).run(10 * US)
      expect([over.counters.pauseFrames, over.pfcAt(0), over.pfcAt(2)]).toEqual([1, ['pause'], []])
    }
  })

  test.each([
    ['220KB', 3],
    ['216KB', 0],
  ])('T-PFC-2: 20 more packets arrive after the pause; with XOFF at %s %i of them are lost', (xoff, lost) => {
    const bench = new Bench(3, `switch: {buffer: {kind: input-queued, xoff: ${xoff}}}`)
    bench.at(1 * US, () => {
      bench.pauseArrives(bench.portTo(1), CLASS_3, 65_535)
      while (bench.counters.pauseFrames === 0) bench.arriveFrom(0, { to: 1 })
      for (let i = 0; i < 20; i++) bench.arriveFrom(0, { to: 1 })
    })
    bench.run(10 * US)
    expect(bench.counters.losslessDrops).toBe(lost)
  })

  test('resumes its peer below XOFF, once, when the egress goes on', () => {
    const bench = blocked(210)
    bench.at(20 * US, () => bench.pauseArrives(bench.portTo(1), CLASS_3, 0))
    bench.run(200 * US)
    expect(bench.pfcAt(0)).toEqual(['pause', 'resume'])
    // The 203rd packet is over XOFF, so with 210 the eighth departure goes below it.
    const [, resume] = bench.arrivals.filter(({ host }) => host === 0)
    expect(resume!.ps).toBe(20 * US + 7 * PACKET_PS + 84 * 200 + 2 * US)
    expect(bench.hub.buffer.usedBytes).toBe(0)
  })

  test('pauses a priority for a time, and resumes it with a time of zero below XON', () => {
    const bench = blocked(210, 'switch: {buffer: {kind: input-queued, xoff: 220KB, xonOffset: 20KB}}')
    bench.at(20 * US, () => bench.pauseArrives(bench.portTo(1), CLASS_3, 0))
    const levels: number[] = []
    for (let us = 0; us <= 80; us++) bench.at(us * US, () => levels.push(bench.hub.buffer.usedBy(1, 3)))
    bench.run(200 * US)
    const [pause, resume] = bench.arrivals.filter(({ host, kind }) => host === 0 && kind === PFC)
    expect([pause!.classes, pause!.quanta]).toEqual([CLASS_3, 65_535])
    expect([resume!.classes, resume!.quanta]).toEqual([CLASS_3, 0])
    // A PFC frame takes 84 bytes and 2 us; a packet leaves every 221 ns.
    const atSending = (ps: number): number => levels[Math.floor((ps - 84 * 200 - 2 * US) / US)]!
    expect(Math.abs(atSending(resume!.ps) - 200_000)).toBeLessThan(6 * 1086)
  })

  test('a PFC frame has no VLAN tag: 64 bytes, whether the class of data is read from the DSCP or from the PCP', () => {
    const pauseOf = (classify: string) => {
      const bench = new Bench(3, `${INPUT_QUEUED}\nclasses: {classify: ${classify}}`)
      bench.at(1 * US, () => {
        bench.pauseArrives(bench.portTo(1), CLASS_3, 65_535)
        for (let i = 0; i < 203; i++) bench.arriveFrom(0, { to: 1 })
      })
      bench.run(10 * US)
      return bench.arrivals.find(({ kind }) => kind === PFC)!
    }
    const pause = pauseOf('dscp')
    expect([pause.sizeBytes, pause.ps, pause.classes, pause.quanta]).toEqual([64, 3 * US + 84 * 200, CLASS_3, 65_535])
    expect(pauseOf('pcp')).toEqual(pause)
  })

  test('sends the pause again after half of its time, as long as it lasts', () => {
    const bench = blocked(210, `${INPUT_QUEUED}\npfc: {quanta: 1000, refresh: 0.5}`)
    bench.at(1 * US, () => bench.pauseArrives(bench.portTo(1), CLASS_3, 65_535))
    bench.run(1 * US + 5 * 6400 * NS + 1)
    expect(bench.counters.pauseFrames).toBe(6)
  })

  test('each class for its own time, where it has one, and again after half of that', () => {
    const text = `${INPUT_QUEUED}\npfc: {classes: [3, 5], quanta: 1000, byClass: [{class: 3, quanta: 500}]}`
    const bench = new Bench(3, text)
    bench.at(1 * US, () => {
      bench.pauseArrives(bench.portTo(1), 0xff, 65_535)
      for (let i = 0; i < 203; i++) {
        bench.arriveFrom(0, { to: 1, codepoint: 3 })
        bench.arriveFrom(2, { to: 1, codepoint: 5 })
      }
    })
    // 250 quanta are 3.2 us.
    bench.run(11 * US)
    const pauses = (host: number): number[] =>
      bench.arrivals.filter((arrival) => arrival.host === host && arrival.quanta > 0).map(({ quanta }) => quanta)
    expect(pauses(0)).toEqual([500, 500, 500])
    expect(pauses(2)).toEqual([1000, 1000])
  })

  test('sends a pause for every packet over XOFF with pfc.repeat', () => {
    const bench = blocked(210, `${INPUT_QUEUED}\npfc: {repeat: true, refresh: 0}`).run(20 * US)
    expect(bench.counters.pauseFrames).toBe(8)
  })

  test('sends no pauses for lossy classes', () => {
    const bench = new Bench(3, INPUT_QUEUED)
    bench.at(1 * US, () => {
      bench.pauseArrives(bench.portTo(1), 1 << 4, 65_535)
      for (let i = 0; i < 230; i++) bench.arriveFrom(0, { to: 1, codepoint: 4 })
    })
    bench.run(10 * US)
    expect([bench.counters.pauseFrames, bench.counters.losslessDrops]).toEqual([0, 0])
    expect(bench.counters.drops[0]).toBe(10)
  })

  test('a PFC frame overtakes queued packets, but not the frame in transmission', () => {
    const bench = new Bench(3, INPUT_QUEUED)
    bench.at(1 * US, () => {
      bench.pauseArrives(bench.portTo(1), CLASS_3, 65_535)
      for (let i = 0; i < 5; i++) bench.arriveFrom(2, { to: 0 })
      for (let i = 0; i < 203; i++) bench.arriveFrom(0, { to: 1 })
    })
    bench.run(20 * US)
    const pause = bench.arrivals.find(({ quanta }) => quanta > 0)!
    expect(pause.ps).toBe(1 * US + PACKET_PS + 84 * 200 + 2 * US)
    expect(bench.startsTo(0).filter((ps) => ps < pause.ps - 2 * US)).toHaveLength(1)
  })
})

describe('a pipeline before the pause', () => {
  const delayed = (sendDelay: string): Bench => {
    const bench = blocked(210, `${INPUT_QUEUED}\npfc: {sendDelay: ${sendDelay}}`)
    bench.at(20 * US, () => bench.pauseArrives(bench.portTo(1), CLASS_3, 0))
    return bench
  }
  const pfcTimes = (bench: Bench): number[] =>
    bench.arrivals.filter(({ host, kind }) => host === 0 && kind === PFC).map(({ ps }) => ps)

  test('delays pauses and resumes alike', () => {
    const [pausePs, resumePs] = pfcTimes(delayed('0ps').run(200 * US))
    expect(pfcTimes(delayed('700ns').run(200 * US))).toEqual([pausePs! + 700 * NS, resumePs! + 700 * NS])
  })

  test('keeps the order of a pause and the resume that follows while it waits', () => {
    const bench = delayed('30us').run(200 * US)
    expect(bench.pfcAt(0)).toEqual(['pause', 'resume'])
  })

  test('a link that goes down meanwhile takes the frame with it', () => {
    const bench = delayed('5us')
    bench.at(3 * US, () => bench.portTo(0).cut())
    bench.at(4 * US, () => bench.portTo(0).restore())
    bench.run(20 * US)
    expect([bench.counters.pauseFrames, bench.pfcAt(0)]).toEqual([1, []])
    expect(bench.built.network.fabric.inPipeline).toBe(0)
  })
})

describe('the paused end', () => {
  /** Pauses the port to host 1 at 10us; packets of classes 3 and 4 arrive for it at the given times, ns after that. */
  function paused(quanta: number, arrivalsNs: readonly number[], resumeNs?: number, text = INPUT_QUEUED): Bench {
    const bench = new Bench(2, text)
    const startPs = 10 * US
    bench.at(startPs, () => bench.pauseArrives(bench.portTo(1), CLASS_3, quanta))
    for (const ns of arrivalsNs) {
      bench.at(startPs + ns * NS, () => {
        bench.arriveFrom(0, { to: 1, codepoint: 3 })
        bench.arriveFrom(0, { to: 1, codepoint: 4 })
      })
    }
    if (resumeNs !== undefined) bench.at(startPs + resumeNs * NS, () => bench.pauseArrives(bench.portTo(1), CLASS_3, 0))
    return bench.run(100 * US)
  }
  const afterPause = (bench: Bench, codepoint: number): number[] =>
    bench.startsTo(1, codepoint).map((ps) => (ps - 10 * US) / NS)

  test('T-PFC-3: PFC(3, 100) holds class 3 back for 1280 ns, and never class 4', () => {
    const bench = paused(100, [0])
    expect([afterPause(bench, 3), afterPause(bench, 4)]).toEqual([[1280], [0]])
  })

  test('T-PFC-3: PFC(3, 0) after 500 ns frees it at once', () => {
    const bench = paused(100, [0], 500)
    expect([afterPause(bench, 3), afterPause(bench, 4)]).toEqual([[500], [0]])
  })

  test('a second pause counts from its own arrival', () => {
    const bench = new Bench(2, INPUT_QUEUED)
    bench.at(10 * US, () => bench.pauseArrives(bench.portTo(1), CLASS_3, 100))
    bench.at(11 * US, () => bench.pauseArrives(bench.portTo(1), CLASS_3, 100))
    bench.at(11 * US, () => bench.arriveFrom(0, { to: 1 }))
    bench.run(100 * US)
    expect(afterPause(bench, 3)).toEqual([2280])
  })

  test('T-PFC-4: a frame that has begun is not cut', () => {
    const bench = new Bench(2, INPUT_QUEUED)
    bench.at(10 * US - 100 * NS, () => {
      bench.arriveFrom(0, { to: 1 })
      bench.arriveFrom(0, { to: 1 })
    })
    bench.at(10 * US, () => bench.pauseArrives(bench.portTo(1), CLASS_3, 100))
    bench.run(100 * US)
    expect(afterPause(bench, 3)).toEqual([-100, 1280])
    expect(bench.arrivals[0]!.ps).toBe(10 * US + 121_200 + 2 * US)
  })

  test('a pause without expiry lasts until the resume', () => {
    const bench = paused(1, [0], 50_000, `${INPUT_QUEUED}\npfc: {expiry: false}`)
    expect(afterPause(bench, 3)).toEqual([50_000])
  })

  test('a reaction time delays both ends of a pause', () => {
    const bench = paused(100, [0, 100], undefined, `${INPUT_QUEUED}\npfc: {reactionTime: 96ns}`)
    expect(afterPause(bench, 3)).toEqual([0, 1376])
  })

  test('a reaction time delays the resume too, so that no pause is shortened', () => {
    const bench = paused(100, [0, 100], 800, `${INPUT_QUEUED}\npfc: {reactionTime: 96ns}`)
    expect(afterPause(bench, 3)).toEqual([0, 896])
  })

  test('records its pauses', () => {
    const book = new PauseBook()
    book.open(100, 3)
    book.open(150, 5)
    expect(book.pausedPs(200)).toBe(150)
    book.close(250, 3)
    expect([book.pausedPs(300), book.pauses]).toEqual([300, 2])
  })
})

describe('where the class is read from', () => {
  /** Classes the switch charged for packets with these codepoints. */
  const classesOf = (codepoints: readonly number[], text: string): number[] => {
    const bench = new Bench(2, text)
    return codepoints.map((codepoint) => {
      const charged = (c: number): number => bench.hub.buffer.usedBy(1, c)
      bench.pauseArrives(bench.portTo(1), 0xff, 65_535)
      const before = Array.from({ length: 8 }, (_, c) => charged(c))
      bench.arriveFrom(0, { to: 1, codepoint })
      return before.findIndex((bytes, c) => charged(c) > bytes)
    })
  }
  test('T-PFC-5: DSCP 3 is priority 3, DSCP 48 the class of CNPs, unlisted DSCPs are 0', () => {
    expect(classesOf([0, 3, 7, 48, 10, 63], INPUT_QUEUED)).toEqual([0, 3, 7, 6, 0, 0])
  })
  test('an egress port has a queue for each of eight priorities; an ingress has counters', () => {
    const bench = new Bench(3, 'switch: {buffer: {kind: shared-buffer}}')
    const priorities = [0, 1, 2, 3, 4, 5, 6, 7]
    bench.at(1 * US, () => {
      bench.pauseArrives(bench.portTo(1), 0xff, 65_535)
      for (const codepoint of priorities)
        for (let i = 0; i <= codepoint; i++) bench.arriveFrom(i % 2 === 0 ? 0 : 2, { to: 1, codepoint, sizeBytes: 100 })
      // All packets are in egress queues by their priority, and counted by ingress and priority.
      const { queue } = bench.portTo(1)
      expect(priorities.map((c) => queue.bytesOf(c))).toEqual([100, 200, 300, 400, 500, 600, 700, 800])
      const countedAt = (port: number): number[] => priorities.map((c) => bench.hub.buffer.usedBy(port, c))
      expect(countedAt(1)).toEqual([100, 100, 200, 200, 300, 300, 400, 400])
      expect(countedAt(3)).toEqual([0, 100, 100, 200, 200, 300, 300, 400])
      expect([priorities.map((c) => bench.portTo(0).queue.bytesOf(c)), bench.hub.buffer.usedBytes]).toEqual([
        [0, 0, 0, 0, 0, 0, 0, 0],
        3600,
      ])
    })
    bench.run(2 * US)
    // Resumed one by one, they leave one by one.
    bench.pauseArrives(bench.portTo(1), 1 << 5, 0)
    bench.run(20 * US)
    expect(bench.arrivals.map(({ codepoint }) => codepoint)).toEqual([5, 5, 5, 5, 5, 5])
  })

  test('each of eight priorities is lossless or lossy independently, and pauses only itself', () => {
    for (let own = 0; own < 8; own++) {
      const bench = new Bench(3, `${INPUT_QUEUED}\npfc: {classes: [${own}]}`)
      bench.at(1 * US, () => {
        bench.pauseArrives(bench.portTo(1), 0xff, 65_535)
        for (let other = 0; other < 8; other++) bench.arriveFrom(0, { to: 1, codepoint: other })
        for (let i = 0; i < 203; i++) {
          bench.arriveFrom(0, { to: 1, codepoint: own })
          bench.arriveFrom(2, { to: 1, codepoint: (own + 1) % 8 })
        }
      })
      bench.run(10 * US)
      const pauses = bench.arrivals.filter(({ kind }) => kind === PFC)
      expect(pauses.map(({ host, classes }) => [host, classes])).toEqual([[0, 1 << own]])
    }
  })
  test('T-PFC-5: many DSCPs may map to one priority', () => {
    const text = `${INPUT_QUEUED}\nclasses: {dscpMap: ["24-31: 3", "48: 5"], cnpAtHost: 5, cnpAtSwitch: 5}`
    expect(classesOf([24, 31, 32, 48], text)).toEqual([3, 3, 0, 5])
  })
  test('T-PFC-5: with VLANs the class is read from the PCP alone', () => {
    expect(classesOf([0, 3, 6, 7], `${INPUT_QUEUED}\nclasses: {classify: pcp}`)).toEqual([0, 3, 6, 7])
  })
})
