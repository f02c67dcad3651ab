/**
 * FPDU: what MPA, DDP and RDMAP make of a message's part before TCP carries it, bytes.
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
/** From one marker to the next, the marker counted (RFC 5044 4.3). */
const MARKER_SPACING = 512

/** A ULPDU with its frame. */
function fpduBytes(ulpduBytes: number, hasMarkers: boolean): number {
  const framed = LENGTH + ulpduBytes
  const bytes = framed + (-framed & 3) + CRC
  return hasMarkers ? bytes + MARKER * markersIn(bytes) : bytes
}

/**
 * How many markers fall into so many bytes. That depends on where in the stream they stand; this is the nearest whole
 * number to the average over all places.
 */
function markersIn(bytes: number): number {
  return Math.round(bytes / (MARKER_SPACING - MARKER))
}

/** Of a WRITE or a READ response: tagged. */
export function taggedFpduBytes(payloadBytes: number, hasMarkers: boolean): number {
  return fpduBytes(TAGGED_HEADER + payloadBytes, hasMarkers)
}

/** Of a SEND: untagged. */
export function untaggedFpduBytes(payloadBytes: number, hasMarkers: boolean): number {
  return fpduBytes(UNTAGGED_HEADER + payloadBytes, hasMarkers)
}

/** A READ request: untagged, with no payload but its own header. */
export function readRequestFpduBytes(hasMarkers: boolean): number {
  return untaggedFpduBytes(READ_REQUEST_HEADER, hasMarkers)
}
