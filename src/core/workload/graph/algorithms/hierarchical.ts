/**
 * Hierarchical all-reduce: positions in nodes of g consecutive ones. A ring inside each node reduces and scatters the buffer;
 * position i of each node reduces its part with positions i of all nodes, in a ring on rail i; a ring inside gathers all.
 * Source: Mikami et al., "Massively distributed SGD: ImageNet/ResNet-50 training in a flash" (2018), 2D-torus all-reduce.
 */
import type { Step } from '../step-run.ts'
import { type Algorithm, around, bySlice, share, sliceBytes } from './algorithm.ts'

export const hierarchical: Algorithm = {
  name: 'hierarchical',
  help: 'rings inside nodes, and between them on each rail',
  operations: ['all-reduce'],
  powerOfTwo: false,
  wholeNodes: true,
  plan(shape) {
    const { n, nodeSize: g, elementBytes } = shape
    const { strands, likeOf, channelOf, sliceOf } = bySlice(shape)
    const nodes = n / g
    const inside = g - 1
    const outside = 2 * (nodes - 1)
    return {
      strands,
      likeOf,
      stepsMost: Math.max(1, 2 * inside + outside),
      operationsMost: 2,
      channelOf,
      step(r, strand, k): Step | null {
        if (k >= 2 * inside + outside) return null
        const [node, i] = [Math.floor(r / g), r % g]
        const partBytes = (part: number): number =>
          sliceBytes(shape, g, channelOf(strand), around(part, g), sliceOf(strand))
        if (k >= inside && k < inside + outside) {
          // As a ring of the nodes, of which each has a share of part i.
          const elements = partBytes(i) / elementBytes
          const bytesOf = (part: number): number => share(elements, nodes, around(part, nodes)) * elementBytes
          const part = node - 1 - (k - inside)
          return {
            receives: [{ peer: around(node - 1, nodes) * g + i, sizeBytes: bytesOf(part - 1) }],
            sends: [{ peer: around(node + 1, nodes) * g + i, sizeBytes: bytesOf(part) }],
          }
        }
        // Reduced and scattered, a position has the part of its own number, with which it begins to gather.
        const part = k < inside ? i - 1 - k : i - (k - inside - outside)
        return {
          receives: [{ peer: node * g + around(i - 1, g), sizeBytes: partBytes(part - 1) }],
          sends: [{ peer: node * g + around(i + 1, g), sizeBytes: partBytes(part) }],
        }
      },
    }
  },
}
