/**
 * Intake: a mechanism at a port that sees every frame which arrives there, after the link's faults and before the device.
 * It may take a frame: drop it, or keep it and hand it to the device later. PFC frames pass it too.
 * Ports without an intake never ask for one (Network.recordTargets marks the ports that do).
 */
import type { Port } from './port.ts'

export interface Intake {
  /** True: the frame is the intake's now, and the device does not receive it. */
  takes(packet: number, port: Port): boolean
}

/** Several intakes on one port: each sees the frames that those before it have let through. */
export class IntakeChain implements Intake {
  private readonly intakes: readonly Intake[]

  constructor(intakes: readonly Intake[]) {
    this.intakes = intakes
  }

  takes(packet: number, port: Port): boolean {
    for (const intake of this.intakes) if (intake.takes(packet, port)) return true
    return false
  }
}
