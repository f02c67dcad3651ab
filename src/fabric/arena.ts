/** Arena: one column of integers that many parts of a fabric share, so that all of them read one array. */
import { alignedInts } from '../base/aligned.ts'

export class Arena {
  readonly data: Int32Array
  private used = 0
  constructor(length: number) {
    this.data = alignedInts(length)
  }
  /** Offset of `length` integers of its own. */
  take(length: number): number {
    const offset = this.used
    this.used += length
    return offset
  }
}
