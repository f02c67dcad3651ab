/** The law that no work is forgotten, each part of it with a fault that breaks it. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Nic } from '../../core/fabric/nic/nic.ts'
import { PairPorts } from '../../core/fabric/nic/pair-ports.ts'
import { PortNic } from '../../core/fabric/nic/port-nic.ts'
import { VerbsEnd } from '../../core/fabric/nic/verbs-end.ts'
import { parseScenario } from '../scenario/index.ts'
import { createSimulation } from '../index.ts'

const TEXT = `
name: waking
topology: {kind: planes, planes: 2, leaves: 2, spines: 2, hostsPerLeaf: 3}
nic: {portChoice: spray}
recovery: irn
qp: {ackTimeout: 320us}
workload: [{kind: closed-loop, pairs: ["2 0"], messageSize: 20KB, messages: 20, outstanding: 1}]
`
/** Runs to its end, with the laws checked every few events. */
const runOf = (isWork: boolean) => (): void => {
  const simulation = createSimulation(parseScenario(TEXT, { sets: [`workload.0.workRequests=${isWork}`] }), {
    check: true,
  })
  try {
    while (simulation.advance(10));
  } finally {
    simulation.close()
  }
}

afterEach(() => vi.restoreAllMocks())

describe('a network that does not wake', () => {
  test('the port where the next packet of a queue pair is due', () => {
    vi.spyOn(PairPorts.prototype, 'kick').mockImplementation(() => {})
    expect(runOf(false)).toThrow(/broken law .*QP \d+: may send by NIC \d+, whose port is free/)
  })

  test('a port where an ACK waits', () => {
    // As it was once: ACKs of work requests wait at the home port, and the port of arrival is woken.
    const follow = Reflect.get(VerbsEnd.prototype, 'follow') as (
      this: VerbsEnd,
      nowPs: number,
      endpoint: number,
    ) => void
    vi.spyOn(VerbsEnd.prototype, 'follow').mockImplementation(function fromHome(this: VerbsEnd, nowPs) {
      follow.call(this, nowPs, -1)
    })
    vi.spyOn(VerbsEnd.prototype as unknown as { kick(): void }, 'kick').mockImplementation(() => {})
    expect(runOf(true)).toThrow(/broken law .*NIC \d+: packets of classes \d+ wait for a port that is free/)
  })

  test('a receiver that owes an ACK', () => {
    let count = 0
    const drain = Reflect.get(Nic.prototype, 'drain') as (this: Nic, ...half: Parameters<Nic['drain']>) => void
    vi.spyOn(Nic.prototype, 'drain').mockImplementation(function rarely(this: Nic, pair, receiver) {
      if (++count % 10 !== 0) drain.call(this, pair, receiver)
    })
    expect(runOf(false)).toThrow(/broken law .*QP \d+: its receiver owes a reply/)
  })

  test.each([false, true])('is not this one, work requests: %s', (isWork) => {
    const kicks = vi.spyOn(PortNic.prototype, 'kick')
    expect(runOf(isWork)).not.toThrow()
    expect(kicks).toHaveBeenCalled()
  })
})
