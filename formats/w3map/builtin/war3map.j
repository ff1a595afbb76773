globals
endglobals

function ConfigPlayers takes nothing returns nothing
    local integer i = 0
    loop
        exitwhen i == 10
        call SetPlayerStartLocation(Player(i), i)
        call ForcePlayerStartLocation(Player(i), i)
        call SetPlayerColor(Player(i), ConvertPlayerColor(i))
        call SetPlayerRacePreference(Player(i), RACE_PREF_RANDOM)
        call SetPlayerRaceSelectable(Player(i), true)
        call SetPlayerController(Player(i), MAP_CONTROL_USER)
        set i = i + 1
    endloop
endfunction

function ConfigForces takes nothing returns nothing
    local integer i = 0
    local integer j
    loop
        exitwhen i == 10
        call SetPlayerTeam(Player(i), i / 5)
        call SetPlayerState(Player(i), PLAYER_STATE_ALLIED_VICTORY, 1)
        set j = 0
        loop
            exitwhen j == 10
            if i != j and i / 5 == j / 5 then
                call SetPlayerAllianceStateAllyBJ(Player(i), Player(j), true)
                call SetPlayerAllianceStateVisionBJ(Player(i), Player(j), true)
            endif
            set j = j + 1
        endloop
        set i = i + 1
    endloop
endfunction

function main takes nothing returns nothing
    local integer i = 0
    local real left = -3328.0 + GetCameraMargin(CAMERA_MARGIN_LEFT)
    local real right = 3328.0 - GetCameraMargin(CAMERA_MARGIN_RIGHT)
    local real bottom = -3584.0 + GetCameraMargin(CAMERA_MARGIN_BOTTOM)
    local real top = 3072.0 - GetCameraMargin(CAMERA_MARGIN_TOP)
    call SetCameraBounds(left, bottom, right, top, left, top, right, bottom)
    call SetDayNightModels("Environment\\DNC\\DNCLordaeron\\DNCLordaeronTerrain\\DNCLordaeronTerrain.mdl", "Environment\\DNC\\DNCLordaeron\\DNCLordaeronUnit\\DNCLordaeronUnit.mdl")
    call NewSoundEnvironment("Default")
    call SetMapMusic("Music", true, 0)
    call InitBlizzard()
    loop
        exitwhen i == 10
        if GetPlayerSlotState(Player(i)) == PLAYER_SLOT_STATE_PLAYING then
            call CreateUnit(Player(i), 'hpea', GetStartLocationX(i), GetStartLocationY(i), 270.0)
        endif
        set i = i + 1
    endloop
endfunction

function config takes nothing returns nothing
    call SetMapName("TRIGSTR_001")
    call SetMapDescription("TRIGSTR_002")
    call SetPlayers(10)
    call SetTeams(2)
    call SetGamePlacement(MAP_PLACEMENT_TEAMS_TOGETHER)
    call DefineStartLocation(0, -2304.0, -2304.0)
    call DefineStartLocation(1, -2304.0, -1280.0)
    call DefineStartLocation(2, -2304.0, -256.0)
    call DefineStartLocation(3, -2304.0, 768.0)
    call DefineStartLocation(4, -2304.0, 1792.0)
    call DefineStartLocation(5, 2304.0, -2304.0)
    call DefineStartLocation(6, 2304.0, -1280.0)
    call DefineStartLocation(7, 2304.0, -256.0)
    call DefineStartLocation(8, 2304.0, 768.0)
    call DefineStartLocation(9, 2304.0, 1792.0)
    call ConfigPlayers()
    call ConfigForces()
endfunction
