package main

import "github.com/spf13/cobra"

func playerCommand() *cobra.Command {
	return group(&cobra.Command{
		Use: "player", Short: "show statistics and ratings; export evidence; hide or forget a player",
		Long: "w3host player reads and changes what the game log knows about players.",
	}, statsCommand(), topPlayersCommand(), evidenceCommand(), hideCommand(), unhideCommand(), forgetCommand())
}
