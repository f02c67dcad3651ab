/**
 * Groups of a training job: which ranks share a tensor (TP), a copy of the data (DP), experts (EP), and copies of experts
 * (DP_EP). TP are consecutive ranks; the others have the same place in blocks of TP ranks. Stages of a pipeline are as many
 * consecutive ranks each, as Megatron-LM orders them (tp-dp-pp), and groups are inside a stage.
 * Source: aliyun/SimAI, MockNcclGroup; aliyun/aicb, RankGenerator.
 */
import type { RankGroup } from '../goal-lines.ts'
import type { GroupKind } from './workload-file.ts'

export interface Split {
  readonly gpus: number
  readonly tp: number
  readonly ep: number
  readonly pp: number
}

/** Distance of the members and how many there are, of a split. */
function shapeOf(kind: GroupKind, { gpus, tp, ep, pp }: Split): { stride: number; size: number } {
  if (kind === 'TP') return { stride: 1, size: tp }
  if (kind === 'DP') return { stride: tp, size: gpus / pp / tp }
  if (kind === 'EP') return { stride: tp, size: ep }
  return { stride: tp * ep, size: gpus / pp / tp / ep }
}

/** The group of each rank; groups of one kind share no rank. */
export function groupsOf(kind: GroupKind, split: Split): RankGroup[] {
  const { stride, size } = shapeOf(kind, split)
  const groups = new Map<number, RankGroup>()
  return Array.from({ length: split.gpus }, (_, rank) => {
    const spot = Math.floor(rank / stride) % size
    const first = rank - spot * stride
    const known = groups.get(first)
    if (known !== undefined) return known
    const ranks = Array.from({ length: size }, (_each, index) => first + index * stride)
    const group = { name: `${kind.toLowerCase()}${groups.size}`, ranks }
    groups.set(first, group)
    return group
  })
}
