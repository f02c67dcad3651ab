/**
 * FPDU: sizes of the frames that MPA, DDP and RDMAP build around a part of a message before TCP carries it, in bytes.
 * Shape: length 2, ULPDU (DDP and RDMAP header, payload), pad to a multiple of 4, CRC32c 4; markers between, if any.
 * Source: RFC 5040 (RDMAP), 5041 (DDP), 5044 (MPA).
 */
const LENGTH = 2
const CRC = 4
/** DDP and RDMAP control 1 each, STag 4, tagged offset 8 (RFC 5041 4.2, RFC 5040 4). */
const TAGGED_HEADER = 14
/** DDP and RDMAP control 1 each, Invalidate STag or reserved 4, queue 4, MSN 4, offset 4 (RFC 5041 4.3). */
const UNTAGGED_HEADER = 18
/** Sink STag 4, sink offset 8, size 4, source STag 4, source offset 8 (RFC 5040 4.4). */
const READ_REQUEST_HEADER = 28
const MARKER = 4
/** Distance between the starts of two markers (RFC 5044 4.3). */
const MARKER_SPACING = 512

/** Size of an FPDU with a ULPDU of `ulpduBytes`. */
function fpduBytes(ulpduBytes: number, hasMarkers: boolean): number {
  const framed = LENGTH + ulpduBytes
  const bytes = framed + (-framed & 3) + CRC
  return hasMarkers ? bytes + MARKER * markersIn(bytes) : bytes
}

/** Markers in `bytes` bytes. The exact number depends on the position in the stream; this is its average, rounded. */
function markersIn(bytes: number): number {
  return Math.round(bytes / (MARKER_SPACING - MARKER))
}

/** FPDU of a WRITE or READ response: tagged. */
export function taggedFpduBytes(payloadBytes: number, hasMarkers: boolean): number {
  return fpduBytes(TAGGED_HEADER + payloadBytes, hasMarkers)
}

/** FPDU of a SEND: untagged. */
export function untaggedFpduBytes(payloadBytes: number, hasMarkers: boolean): number {
  return fpduBytes(UNTAGGED_HEADER + payloadBytes, hasMarkers)
}

/** FPDU of a READ request: untagged, with no payload but its own header. */
export function readRequestFpduBytes(hasMarkers: boolean): number {
  return untaggedFpduBytes(READ_REQUEST_HEADER, hasMarkers)
}
