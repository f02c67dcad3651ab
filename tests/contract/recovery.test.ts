/**
 * The contract of loss recovery: whatever a pipe does, every message arrives once, complete and in order, and every run
 * ends. Checked for each registered recovery with each registered congestion control.
 */
import { describe, expect, test } from 'vitest'
import type { RandomStream } from '../../src/core/base/random.ts'
import { congestions } from '../../src/core/transport/congestion/index.ts'
import { none } from '../../src/core/transport/congestion/none.ts'
import { mpRdma as mpRdmaWindow } from '../../src/core/transport/congestion/mp-rdma.ts'
import { GoBackNSender, GoBackReceiver, goBackN } from '../../src/core/transport/recovery/go-back-n.ts'
import { recoveries } from '../../src/core/transport/recovery/index.ts'
import { rewindingIrn } from '../../src/core/transport/recovery/irn-rewind.ts'
import { MpRdmaReceiver } from '../../src/core/transport/recovery/mp-rdma-receiver.ts'
import { mpRdma } from '../../src/core/transport/recovery/mp-rdma.ts'
import {
  defineRecovery,
  LOSS_FOUND,
  NOTHING_NEW,
  type ReceiverRecovery,
  type RecoveryDefinition,
  type SenderRecovery,
  type SendWindow,
} from '../../src/core/transport/recovery/recovery.ts'
import type { Segment } from '../../src/core/transport/segment.ts'
import { US } from '../../src/core/base/params.ts'
import {
  BUDGET,
  FIRST_SEED,
  fit,
  pick,
  runCases,
  type CaseOptions,
  type Exceptions,
  type Faults,
} from '../support/pair-cases.ts'

const CASES = 500 * BUDGET

const EXCEPTIONS: Readonly<Record<string, Exceptions>> = {
  'go-back-0': {
    mayLivelock: 'any loss restarts the whole message ([MS-Scale] 4.1)',
    mayForget: 'the receiver forgets the partial message with each NAK',
  },
}

function someLosses(random: RandomStream, isReordered: boolean): Faults {
  return {
    lossForward: pick(random, 0, 0.01, 0.05, 0.2),
    lossBackward: pick(random, 0, 0.01, 0.05, 0.2),
    doubled: pick(random, 0, 0, 0.05),
    marked: 0,
    late: isReordered ? 0.05 : 0,
    latePs: pick(random, 0.3, 3, 30) * US,
  }
}

const optionsFor = (name: string): CaseOptions => ({
  exceptions: EXCEPTIONS[name] ?? {},
  faults: someLosses,
  mostPackets: EXCEPTIONS[name]?.mayLivelock === undefined ? 120 : 12,
  mostFindings: 10,
})

describe.each([...recoveries, { ...rewindingIrn, name: 'rewinding irn' }])('$name', (recovery) => {
  test.each(congestions.filter((congestion) => fit(recovery, congestion)))(
    `with $name: ${CASES} cases from seed ${FIRST_SEED}`,
    (congestion) => {
      const { broken, cases, faulty, finished, late } = runCases(CASES, recovery, congestion, optionsFor(recovery.name))
      expect(broken).toEqual([])
      expect(cases).toBe(CASES)
      expect(faulty / cases, 'share of cases in which the pipe did something wrong').toBeGreaterThan(0.3)
      expect(finished / cases, `share that finished; ${late} went on for ever`).toBeGreaterThan(0.8)
    },
  )
})

describe('a scheme that breaks the contract is caught', () => {
  /** A go-back-N with one half replaced. */
  const broken = (halves: {
    sender?: (window: SendWindow) => SenderRecovery
    receiver?: (values: ConstructorParameters<typeof GoBackReceiver>[0]) => GoBackReceiver
  }): RecoveryDefinition =>
    defineRecovery({
      ...goBackN,
      name: 'broken',
      createSender: (_values, window) => halves.sender?.(window) ?? new GoBackNSender(window),
      createReceiver: (values) => halves.receiver?.(values) ?? new GoBackReceiver(values),
    })
  const findings = (definition: RecoveryDefinition): string =>
    runCases(40, definition, none, { ...optionsFor('broken'), mostFindings: 1 }).broken.join('\n')

  test('nothing is found in the unbroken twin', () => {
    expect(findings(broken({}))).toBe('')
  })

  test('a receiver that accepts packets out of order', () => {
    class Eager extends GoBackReceiver {
      override onData(nowPs: number, psn: number, segment: Segment): boolean {
        if (psn > this.epsn) this.epsn = psn
        return super.onData(nowPs, psn, segment)
      }
    }
    expect(findings(broken({ receiver: (values) => new Eager(values) }))).toMatch(/accepted, expected was/)
  })

  test('a receiver that accepts a duplicate again', () => {
    class Forgetful extends GoBackReceiver {
      override onData(nowPs: number, psn: number, segment: Segment): boolean {
        return super.onData(nowPs, psn, segment) || psn === this.epsn - 1
      }
    }
    expect(findings(broken({ receiver: (values) => new Forgetful(values) }))).toMatch(/accepted|delivered/)
  })

  test('a receiver that discards packets without permission', () => {
    class Shy extends GoBackReceiver {
      override onData(nowPs: number, psn: number, segment: Segment): boolean {
        const isAccepted = super.onData(nowPs, psn, segment)
        if (!isAccepted && psn > this.epsn && this.epsn > 0) this.epsn--
        return isAccepted
      }
    }
    expect(findings(broken({ receiver: (values) => new Shy(values) }))).toMatch(/went back|forgot/)
  })

  test('a receiver that acknowledges a packet it does not have', () => {
    class Hasty extends GoBackReceiver {
      override onData(nowPs: number, psn: number, segment: Segment): boolean {
        const isAccepted = super.onData(nowPs, psn, segment)
        if (!isAccepted && psn > this.epsn) {
          this.reply = 1
          this.replyPsn = psn
        }
        return isAccepted
      }
    }
    expect(findings(broken({ receiver: (values) => new Hasty(values) }))).toMatch(/acknowledged/)
  })

  const naive = (window: SendWindow, changed: Partial<SenderRecovery>): SenderRecovery =>
    Object.assign(new GoBackNSender(window), changed)

  test('a sender that skips a packet', () => {
    const skips = (window: SendWindow): SenderRecovery =>
      naive(window, {
        onAck() {
          if (window.una > window.nxt - 2) window.nxt = Math.min(window.end, window.nxt + 1)
          return NOTHING_NEW
        },
      })
    // Where nothing resends the packet, the stall is found first.
    expect(findings(broken({ sender: skips }))).toMatch(/sent before|stalled/)
  })

  test('a sender that resends from one packet too far', () => {
    const late = (window: SendWindow): SenderRecovery =>
      naive(window, {
        onNak(_nowPs, psn) {
          window.nxt = psn + 1
          return LOSS_FOUND
        },
        onTimeout() {},
      })
    expect(findings(broken({ sender: late }))).toMatch(/late|stalled/)
  })

  describe('among recoveries that acknowledge whole messages', () => {
    const found = (receiver: (slots: number) => ReceiverRecovery): string => {
      const definition = { ...mpRdma, createReceiver: ({ slots }: { slots: number }) => receiver(slots) }
      return runCases(40, definition, mpRdmaWindow, { ...optionsFor('mp-rdma'), mostFindings: 1 }).broken.join('\n')
    }

    test('nothing is found in the unbroken twin', () => {
      expect(found((slots) => new MpRdmaReceiver(slots))).toBe('')
    })

    test('one that acknowledges a packet of an incomplete message', () => {
      class Hasty extends MpRdmaReceiver {
        override onData(nowPs: number, psn: number, segment: Segment): boolean {
          const isNew = super.onData(nowPs, psn, segment)
          if (psn === this.epsn && isNew) this.epsn++
          return isNew
        }
      }
      expect(found((slots) => new Hasty(slots))).toMatch(/expects PSN/)
    })

    test('one that clears larger blocks than it declares', () => {
      expect(found((slots) => new MpRdmaReceiver(slots * 2))).toMatch(/expects PSN/)
    })
  })

  test('a sender that goes beyond what was posted', () => {
    const bold = (window: SendWindow): SenderRecovery =>
      naive(window, {
        onTimeout() {
          window.nxt = window.una - 1
        },
      })
    // Detected by its own state, or by the message that does not exist.
    expect(findings(broken({ sender: bold }))).toMatch(/una|firstPsn/)
  })
})
