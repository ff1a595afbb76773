package mpq

import "encoding/binary"

const (
	firstStep = 0x2C // where each channel begins in stepSizes
	lastStep  = 88
	jump      = 8 // what the code 0x81 adds to the step
)

// stepSizes is the table of IMA ADPCM.
var stepSizes = [lastStep + 1]int32{
	7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107,
	118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963,
	1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894,
	6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794,
	32767,
}

// stepMoves says how the step changes after a code, by its five low bits.
var stepMoves = [32]int{
	-1, 0, -1, 4, -1, 2, -1, 6, -1, 1, -1, 5, -1, 3, -1, 7,
	-1, 1, -1, 5, -1, 3, -1, 7, -1, 2, -1, 4, -1, 6, -1, 8,
}

// unadpcm unpacks sound of one or two channels to 16-bit samples, taking turns:
//
//	u8 0 · u8 shift of the smallest difference · i16 first sample of each channel · then codes of one byte:
//	0x80 repeats the last sample with a smaller step; 0x81 makes the step larger and yields nothing;
//	else bit 6 is the sign and bits 0 to 5 add the step, its half, its quarter, …
//
// The packing loses an odd last byte, as it does quality: the result is what the game hears.
func unadpcm(dst, src []byte, limit, channels int) ([]byte, error) {
	if len(src) < 2+2*channels {
		return dst, errCutShort
	}
	shift := src[1] & 31
	src = src[2:]
	end := len(dst) + limit
	var sample [2]int32
	step := [2]int{firstStep, firstStep}
	for c := range channels {
		if len(dst)+2 > end {
			return dst, errOverrun
		}
		sample[c] = int32(int16(binary.LittleEndian.Uint16(src)))
		dst = append(dst, src[0], src[1])
		src = src[2:]
	}
	c := channels - 1
	for _, code := range src {
		c = (c + 1) % channels
		switch code {
		case 0x80:
			step[c] = max(0, step[c]-1)
		case 0x81:
			step[c] = min(lastStep, step[c]+jump)
			c = (c + 1) % channels // so that the same channel comes again
			continue
		default:
			size := stepSizes[step[c]]
			diff := size >> shift
			for bit := range 6 {
				if code>>bit&1 != 0 {
					diff += size >> bit
				}
			}
			if code&0x40 != 0 {
				diff = -diff
			}
			sample[c] = max(-32768, min(32767, sample[c]+diff))
			step[c] = max(0, min(lastStep, step[c]+stepMoves[code&31]))
		}
		if len(dst)+2 > end {
			return dst, errOverrun
		}
		dst = append(dst, byte(sample[c]), byte(sample[c]>>8))
	}
	return dst, nil
}
