/**
 * Codepoints with VLANs: a packet's field CODEPOINT holds its DSCP, and where switches have VLANs its tag too.
 * Shape: DSCP 6 bits, PCP 3 bits, and a bit that says whether there is a tag. Without a tag the two upper parts are 0, so
 * that networks without VLANs have the DSCP alone, and a switch's table of classes is as long as its codepoints.
 * Source: [MS-Scale] section 3.
 */
export const PCP_SHIFT = 6
export const TAGGED = 1 << 9
const DSCPS = 1 << PCP_SHIFT
const CODEPOINTS = TAGGED << 1

/** The codepoint without its tag: the DSCP. */
export function untagged(codepoint: number): number {
  return codepoint & (DSCPS - 1)
}

export function tagged(codepoint: number, pcp: number): number {
  return untagged(codepoint) | (pcp << PCP_SHIFT) | TAGGED
}

/** The priority in the tag; 0 without a tag. */
export function pcpOf(codepoint: number): number {
  return (codepoint >> PCP_SHIFT) & 7
}

/**
 * Class by codepoint at a switch that reads the DSCP, or else the PCP.
 * @param classOfDscp 64 classes
 * @param untaggedClass of frames without a tag, where the PCP is read
 */
export function vlanClasses(classOfDscp: Uint8Array, readsDscp: boolean, untaggedClass: number): Uint8Array {
  return Uint8Array.from({ length: CODEPOINTS }, (_, codepoint) => {
    if (readsDscp) return classOfDscp[untagged(codepoint)]!
    return (codepoint & TAGGED) === 0 ? untaggedClass : pcpOf(codepoint)
  })
}
