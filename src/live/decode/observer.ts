/**
 * Observer: sees packets and findings as they are decoded. What it keeps of them is its own.
 */
import type { FindingKind, Value } from '../../core/findings/index.ts'
import type { Sight } from './found.ts'
import type { Packet } from './packet.ts'

export interface DecodeObserver {
  /** Every RoCEv2 packet, its direction (keyOf), and what it was: "new", "again", "NAK 60". */
  onPacket?(packet: Packet, key: string, note: string): void
  /**
   * Every place of a finding, with values of its own; before the packet that it is of, or after it where only later ones show it.
   */
  onSight?(key: string, kind: FindingKind, sight: Sight, values: Readonly<Record<string, Value>>): void
}
