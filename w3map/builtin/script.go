package builtin

import (
	"fmt"
	"strings"
)

// Bounds of the camera: the playable part of the field, less what the screen shows beyond its middle.
const (
	edgeLeft   = (left - tiles/2) * tileSize
	edgeRight  = (tiles/2 - right) * tileSize
	edgeBottom = (bottom - tiles/2) * tileSize
	edgeTop    = (tiles/2 - top) * tileSize

	cameraLeft   = edgeLeft + 512
	cameraRight  = edgeRight - 512
	cameraBottom = edgeBottom + 256
	cameraTop    = edgeTop - 256
)

// script makes war3map.j. The game runs config in the lobby and main when the game begins.
func script() string {
	var b strings.Builder
	b.WriteString("globals\nendglobals\n\n")
	writePlayers(&b)
	writeForces(&b)
	b.WriteString("function main takes nothing returns nothing\n" +
		"    local integer i = 0\n")
	fmt.Fprintf(&b, "    local real left = %d.0 + GetCameraMargin(CAMERA_MARGIN_LEFT)\n", edgeLeft)
	fmt.Fprintf(&b, "    local real right = %d.0 - GetCameraMargin(CAMERA_MARGIN_RIGHT)\n", edgeRight)
	fmt.Fprintf(&b, "    local real bottom = %d.0 + GetCameraMargin(CAMERA_MARGIN_BOTTOM)\n", edgeBottom)
	fmt.Fprintf(&b, "    local real top = %d.0 - GetCameraMargin(CAMERA_MARGIN_TOP)\n", edgeTop)
	b.WriteString(`    call SetCameraBounds(left, bottom, right, top, left, top, right, bottom)
    call SetDayNightModels("Environment\\DNC\\DNCLordaeron\\DNCLordaeronTerrain\\DNCLordaeronTerrain.mdl", "Environment\\DNC\\DNCLordaeron\\DNCLordaeronUnit\\DNCLordaeronUnit.mdl")
    call NewSoundEnvironment("Default")
    call SetMapMusic("Music", true, 0)
    call InitBlizzard()
`)
	fmt.Fprintf(&b, "    loop\n        exitwhen i == %d\n", players)
	b.WriteString("        if GetPlayerSlotState(Player(i)) == PLAYER_SLOT_STATE_PLAYING then\n" +
		"            call CreateUnit(Player(i), 'hpea', GetStartLocationX(i), GetStartLocationY(i), 270.0)\n" +
		"        endif\n        set i = i + 1\n    endloop\nendfunction\n\n")
	b.WriteString("function config takes nothing returns nothing\n" +
		"    call SetMapName(\"TRIGSTR_001\")\n    call SetMapDescription(\"TRIGSTR_002\")\n")
	fmt.Fprintf(&b, "    call SetPlayers(%d)\n    call SetTeams(2)\n", players)
	b.WriteString("    call SetGamePlacement(MAP_PLACEMENT_TEAMS_TOGETHER)\n")
	for i := range players {
		x, y := start(i)
		fmt.Fprintf(&b, "    call DefineStartLocation(%d, %.1f, %.1f)\n", i, x, y)
	}
	b.WriteString("    call ConfigPlayers()\n    call ConfigForces()\nendfunction\n")
	return strings.ReplaceAll(b.String(), "\n", "\r\n")
}

func writePlayers(b *strings.Builder) {
	b.WriteString("function ConfigPlayers takes nothing returns nothing\n    local integer i = 0\n")
	fmt.Fprintf(b, "    loop\n        exitwhen i == %d\n", players)
	b.WriteString(`        call SetPlayerStartLocation(Player(i), i)
        call ForcePlayerStartLocation(Player(i), i)
        call SetPlayerColor(Player(i), ConvertPlayerColor(i))
        call SetPlayerRacePreference(Player(i), RACE_PREF_RANDOM)
        call SetPlayerRaceSelectable(Player(i), true)
        call SetPlayerController(Player(i), MAP_CONTROL_USER)
        set i = i + 1
    endloop
endfunction

`)
}

func writeForces(b *strings.Builder) {
	b.WriteString("function ConfigForces takes nothing returns nothing\n" +
		"    local integer i = 0\n    local integer j\n")
	fmt.Fprintf(b, "    loop\n        exitwhen i == %d\n", players)
	fmt.Fprintf(b, "        call SetPlayerTeam(Player(i), i / %d)\n", perForce)
	b.WriteString("        call SetPlayerState(Player(i), PLAYER_STATE_ALLIED_VICTORY, 1)\n        set j = 0\n")
	fmt.Fprintf(b, "        loop\n            exitwhen j == %d\n", players)
	fmt.Fprintf(b, "            if i != j and i / %d == j / %d then\n", perForce, perForce)
	b.WriteString(`                call SetPlayerAllianceStateAllyBJ(Player(i), Player(j), true)
                call SetPlayerAllianceStateVisionBJ(Player(i), Player(j), true)
            endif
            set j = j + 1
        endloop
        set i = i + 1
    endloop
endfunction

`)
}
